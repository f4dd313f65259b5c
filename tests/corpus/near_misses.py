"""Commands that only look like denied ones: what a rule against a program must leave alone."""

from __future__ import annotations

RULES = [
    "curl:*", "dd *", "docker run:*", "find * -delete", "git * --force", "git push --force:*", "git push:*",
    "grep * /etc/*", "kubectl delete:*", "mkfs*", "mkfs* *", "npm publish", "pip install:*", "rm -rf *", "rm:*",
    "shutdown", "sudo:*", "terraform destroy:*", "wget *",
]  # fmt: skip

NEAR_MISSES = [
    *r"""
echo rm
echo rm -rf x
echo 'rm -rf x'
printf '%s\n' 'curl http://x'
printf 'sudo ls\n'
grep rm file
grep -n 'rm -rf' script.sh
grep -rn "git push" docs
grep -r curl .
rg 'sudo ' src
rg -n 'pip install' README.md
ag curl
git log --grep push
git log --grep='git push' --oneline
git log -S 'rm -rf' -- src
git log --author sudo
git grep curl
git grep -n 'rm -rf'
git rm x
git rm --cached x
git commit -m 'rm old files'
git commit -m 'run curl first' -m 'sudo rm x'
git commit --message='pip install docs'
git stash push
git stash push -m 'wip push'
git remote set-url --push origin x
git config push.default simple
git config --get push.default
git branch push
git checkout push
git checkout -b push-fix
git show push:rm
git diff push..main
git tag -a push -m push
git submodule status
git subtree push-x
git help push
git status
git -C push status
git add rm curl sudo
git add .
git add *.py
git blame rm
git log push
git log --oneline origin/push
git reflog
git merge push
git rebase push
git switch push
git notes add -m 'rm'
ls rm/
ls rm
ls curl sudo
ls -la /usr/bin/rm
ls /bin/rm
ls /usr/bin/r*
ls *.rm
cat rm
cat rm.txt
cat /usr/bin/curl
cat docs/rm.md
cat sudo.conf
head -n 5 rm
tail -f curl.log
wc -l rm
stat rm
file /bin/rm
du -sh rm
which rm
which curl sudo
whereis rm
type rm
type -a curl
command -v rm
command -v curl
hash rm
man rm
man curl
info rm
apropos rm
whatis rm
help rm
tldr rm
apt show curl
apt-cache policy curl
apt list curl
dpkg -l curl
dpkg -L curl
brew info curl
brew install curl
apt-get install -y curl
apt install sudo
apk add curl
yum install curl
npm install rm
npm run publish
npm run publish:docs
npm test -- publish
npm view publish
npm run rm
npm rm left-pad
npm info curl
npm publisher
yarn add curl
pip show install
pip download x
pip list
pip uninstall x
pip --version
pip3 list
python -m pip list
python -m pip uninstall x
pip freeze | grep install
python -m pipx list
python install.py
python curl.py
python3 rm.py
python rm
python -m rm
python -c 'print("rm")'
node rm.js
node -e 'console.log("rm")'
ruby rm.rb
perl -ne 'print if /rm/' x
perl -pe 's/curl/wget/' x
awk '/rm/ {print}' x
awk '/curl/{print $1}' log
awk '{print "rm", $1}' x
awk -F: '$1 == "sudo"' x
sed 's/rm/x/' f
sed -n '/curl/p' f
sed 's/git push/git pull/' f
sed -n '/sudo/,/rm/p' f
sed -i 's/rm/x/' f
jq '.rm' x.json
jq -r '.scripts.publish' package.json
yq .rm x.yaml
docker ps
docker rm x
docker images run
docker build -t run .
docker compose up run
docker logs run
docker inspect run
docker start run
docker stop run
docker run-x
docker pull run
docker exec x ls
docker container ls
kubectl get pods delete
kubectl get delete
kubectl describe pod delete
kubectl logs delete
kubectl explain delete
kubectl apply -f delete.yaml
kubectl rollout status delete
kubectl get pods -l app=delete
kubectl create ns delete
terraform plan -destroy
terraform plan destroy.tf
terraform destroyer
terraform show destroy
rmdir x
rmx y
rm-old x
unrm x
trash rm
curlie x
curly
./curl.sh
./rm.sh
scripts/rm-old.sh
sudoedit x
visudo -c
sudo-rs x
ddrescue a b
add x
mk
mkf
make rm
make clean
make curl
make -j4 publish
make -n push
cargo rm serde
cargo publish
cargo run
cargo install ripgrep
go install x
go run rm.go
gem install curl
touch rm
touch curl sudo
mkdir rm
mkdir -p push/run
cp rm x
cp a rm
mv rm sudo
mv x rm
ln -s rm x
tee rm
tar xf rm
tar czf rm.tgz rm
tar -tf curl.tar
zip -r rm.zip rm
unzip curl.zip
rsync -a rm curl
scp rm host:
ssh-add
vi rm
vim curl
nano sudo
code rm
less rm
diff rm curl
sort rm
uniq rm
cut -d: -f1 sudo
tr rm xy
find . -name rm
find . -name 'rm*'
find rm -type f
find . -path './rm/*'
find . -name curl -print
find . -name sudo -type f
find . -newer rm
find /usr/bin -name 'curl'
find . -name '*.sh' -exec grep rm {} +
find . -name '*.md' -exec grep -l 'git push' {} \;
find . -name '*.sh' | xargs grep rm
find . -type f | xargs grep -l curl
xargs grep rm
xargs -n1 echo rm
xargs ls rm
env | grep sudo
env RM=rm ls
env A=rm ls
RM=rm ls
CMD='rm x' ls
x=rm; echo $x
x=rm; ls $x
for f in rm curl; do echo $f; done
for f in rm; do ls $f; done
for i in push pull; do echo git $i; done
for c in curl sudo; do command -v $c; done
for c in rm curl; do which "$c" || echo missing $c; done
if [ -x /bin/rm ]; then ls; fi
[ -f rm ] && cat rm
[[ $x == rm ]] && ls
test -x /usr/bin/curl
case $x in rm) ls;; esac
case rm in *) ls ;; esac
echo $(echo rm)
ls # rm x
ls # git push
# rm x
echo "rm -rf x" > notes.txt
echo 'git push' >> TODO
echo hello | tee rm
echo 'curl x' | grep curl
echo 'rm x' | cat
echo 'rm x' | wc -c
cat script.sh | grep rm
history | grep rm
ps aux | grep sudo
ps aux | grep '[c]url'
pgrep curl
pkill curl
killall sudo
kill rm
timeout 5 grep rm x
timeout 5 echo rm
nice ls rm
nohup python rm.py
time ls rm
env grep rm x
bash -c 'echo rm'
sh -c 'grep rm x'
bash -c 'ls rm'
bash rm.sh
bash -n rm.sh
eval 'echo rm'
echo 'echo rm' | sh
bash -c 'git log --grep push'
bash <<< 'ls rm'
alias
alias ll='ls -l'
export PATH=/rm:$PATH
export X=rm
export EDITOR=curl
cd rm
cd rm && ls
pushd push
source rm.env
. ./curl.env
set -x
time
watch -n 1 ls rm
watch 'ls rm'
ssh host ls
ssh rm ls
ssh host 'grep rm x'
ssh push@host ls
tmux ls
screen -ls
docker exec web ls rm
docker run-me
docker compose logs run
crontab -l
systemctl status sudo
systemctl restart curl
journalctl -u sudo
service sudo status
id sudo
getent group sudo
groups sudo
usermod -aG sudo x
chmod +x rm
chmod 755 rm
chown x rm
chmod -r x
grep x *.py
grep root ./a
grep -r x etc/
find . -name '*.py'
find . -name delete
pytest -k rm
pytest -k 'rm or push'
pytest tests/test_rm.py
python -m pytest -k push
uv run pytest -k rm
uv pip list
uv add curl
poetry add curl
poetry run pytest -k rm
npx eslint rm.js
npx prettier --check push.md
npm exec -- eslint rm.js
nox -s publish
tox -e publish
invoke publish
just publish
gh pr create --title 'git push fix' --body 'rm x'
gh pr view push
gh run list
gh issue create -t 'sudo rm' -b 'curl'
hub push-x
wgetrc
http GET x
nc -z curl 80
dig curl
ping sudo
basename /bin/rm
dirname /bin/rm
realpath /bin/rm
readlink -f /bin/sudo
md5sum rm
sha256sum curl
strings /bin/rm
ldd /bin/curl
nm rm
objdump -d rm
xxd rm
hexdump curl
date +rm
seq 3
sleep 1
true rm
: rm -rf x
: 'rm x'
test rm = rm
[ rm = rm ]
expr rm : rm
let x=1
read rm
unset rm
unset -f rm
declare -f rm
local rm
trap - EXIT
umask
logger rm
notify-send 'git push'
mail -s 'rm x' a@b
say rm
xdg-open rm
jupyter nbconvert rm.ipynb
sqlite3 db 'select rm from t'
psql -c 'select * from rm'
mysql -e 'select rm'
shutdown-x
echo shutdown
man shutdown
systemctl list-units shutdown
ansible-playbook shutdown.yml
helm list
helm upgrade run x
kubectl exec pod -- ls delete
kubectl exec pod -- grep rm x
strace -e trace=unlink ls rm
npm --prefix publish test
npm --prefix publish install
npm -w publish test
git --git-dir push status
git -c push.default=simple status
docker --context run ps
kubectl -n delete get pods
kubectl --context delete get pods
pip --log install list
parallel echo rm ::: a
parallel grep rm ::: a b
coproc ls
""".strip("\n").split("\n"),
    'echo "git push"',
    'git commit -m "git push fix"',
    "python -c \"print('git push')\"",
    "python3 -c \"import json; print(json.dumps({'rm': 1}))\"",
    "x='git push'; echo \"$x\"",
    "msg='rm old'; git commit -m \"$msg\"",
    'echo "$(ls rm)"',
    'echo "a # rm x"',
    "cat <<EOF\nrm x\ngit push\nEOF",
    "cat <<'EOF' > notes.txt\nrm -rf x\ncurl http://x\nEOF",
    "cat > README.md <<EOF\nsudo rm x\npip install x\nEOF",
    "git commit -m \"$(cat <<'EOF'\nAdd rm and curl support\n\ngit push when done; sudo rm x\nEOF\n)\"",
]
"""None of them runs what one of the rules is about."""

PARTLY = {
    "rm *": ["rm:*"],
    "rm -r x": ["rm:*"],
    "rm -f x": ["rm:*"],
    "git push origin main": ["git push:*"],
    "git push --force-with-lease": ["git push:*"],
    "git fetch --force": ["git * --force"],
}
"""What only some of the rules are about."""
