"""More ways to write one call: programs that run others, shells that are fed, texts that are put together or broken."""

from __future__ import annotations

import base64
from collections.abc import Iterator

FRAMES = [
    *r"""
{c} || true
{c} && ls
{c} | cat
ls&&{c}
ls|{c}
ls&{c}
! ! {c}
(({c}))
(ls; {c})
{{ ls; {c};}}
if false; then :; elif {c}; then :; fi
while true; do {c}; done
for f in $({c}); do :; done
for ((i=0;i<1;i++)); do {c}; done
for ((i=0;i<1;i++)) {{ {c}; }}
for f; do {c}; done
select f in a; do {c}; done
case a in b) ;; *) {c} ;; esac
case $({c}) in a) ;; esac
case a in a) ls;& b) {c};; esac
case a in (a) {c} ;; esac
function f {{ {c}; }}; f
function f() {{ {c}; }}; f
f() ( {c} ); f
f() if true; then {c}; fi; f
ls() {{ {c}; }}; ls
echo $(ls $({c}))
echo `ls \`{c}\``
x=`{c}`
x="$({c})" ls
export x=$({c})
local x=$({c})
readonly x=$({c})
a=($({c}))
a[$({c})]=1
arr+=($({c}))
tee >({c})
ls > >({c})
diff <(ls) <({c})
echo > $({c})
ls < $({c})
ls 2> `{c}`
A= {c}
A="x y" {c}
A=$(ls) {c}
>out {c}
{c} &> out
3<x {c}
{{fd}}>x {c}
{c} >| out
{c} <> out
[[ a == b ]] || {c}
echo ${{x:=$({c})}}
echo ${{x:?$({c})}}
echo ${{x-`{c}`}}
echo ${{x/a/$({c})}}
echo ${{x#$({c})}}
echo ${{x:$({c})}}
echo ${{a[$({c})]}}
echo $[ $({c}) ]
(( x = $({c}) ))
let x=$({c})
: ${{x:=$({c})}}
true $({c})
/usr/bin/time {c}
/usr/bin/time -v {c}
/usr/bin/time -o log -f %e {c}
/usr/bin/time --output=log {c}
command -p {c}
command -- {c}
builtin command {c}
exec -c {c}
exec -l -a x {c}
exec 3>&1; {c}
env - {c}
env -uA {c}
env --unset=A {c}
env --unset A {c}
env --chdir=src {c}
env -i A=1 B=2 {c}
env -S'{q}'
env -iS '{q}'
env -vS '{q}'
env --split-string='{q}'
env --split-string '{q}'
env --ignore-environment {c}
env -0 {c}
env --block-signal=INT {c}
env -S {c}
/usr/bin/env bash -c '{q}'
nice -n5 {c}
nice --adjustment=5 {c}
nice -- {c}
nohup -- {c}
nohup {c} &
timeout 5s {c}
timeout -k1 5 {c}
timeout -s KILL 5 {c}
timeout --signal KILL 5 {c}
timeout --preserve-status 5 {c}
timeout --kill-after=1 5 {c}
timeout -v 0.5 {c}
gtimeout 5 {c}
stdbuf -o L {c}
stdbuf -i0 -o0 -e0 {c}
stdbuf --output=L {c}
setsid --fork {c}
ionice {c}
ionice -c 3 {c}
ionice -c2 -n7 {c}
chrt -b 0 {c}
chrt --idle 0 {c}
taskset -c 0 {c}
taskset -c 0,1 {c}
numactl --cpunodebind=0 {c}
numactl -N 0 {c}
sudo -udev {c}
sudo -E {c}
sudo -H -u dev {c}
sudo --user=dev {c}
sudo --user dev {c}
sudo -i {c}
sudo -s {c}
sudo -s -- {c}
sudo -nu dev {c}
sudo -E -u dev env A=1 {c}
sudo -g adm {c}
sudo -D src {c}
sudo --preserve-env=A {c}
sudo -S {c}
sudo -p '' {c}
sudo -A {c}
sudo bash -c '{q}'
sudo -u dev -- sh -c '{q}'
sudo sudo {c}
doas -n {c}
pkexec {c}
pkexec --user dev {c}
run0 {c}
gosu dev {c}
su-exec dev {c}
setpriv --reuid=0 --clear-groups {c}
xargs -- {c}
echo a | xargs -0 {c}
xargs -n 1 {c}
xargs -P 4 -n 1 {c}
xargs -P4 {c}
xargs -L1 {c}
xargs -I {{}} {c} {{}}
xargs -I% {c} %
xargs -i {c}
xargs -i{{}} {c}
xargs -r {c}
xargs -rt {c}
xargs -t -p {c}
xargs -a list {c}
xargs --arg-file=list {c}
xargs --arg-file list {c}
xargs -d '\n' {c}
xargs --delimiter='\n' {c}
xargs -d, {c}
xargs --max-args=1 {c}
xargs --max-args 1 {c}
xargs --replace={{}} {c}
xargs --no-run-if-empty {c}
xargs -E eof {c}
xargs -s 100 {c}
ls | xargs -n1 {c}
find . | xargs {c}
find . -print0 | xargs -0 {c}
xargs -I{{}} sh -c '{q} {{}}'
xargs -n1 bash -c '{q}' _
xargs env {c}
xargs timeout 5 {c}
find . -exec {c} ';'
find . -exec {c} {{}} +
find . -name x -execdir {c} {{}} +
find . -okdir {c} \;
find . -type f -exec ls {{}} \; -exec {c} {{}} \;
find . '-exec' {c} ';'
find . -\exec {c} \;
find . -exec sh -c '{q} "$1"' _ {{}} \;
find . -exec env A=1 {c} \;
find . -exec sudo {c} \;
find . -name '*.tmp' -exec {c} {{}} + -o -print
find / \( -name x -o -name y \) -exec {c} {{}} \;
gfind . -exec {c} \;
fd -x {c}
fd x -x {c}
fd -X {c}
fd . --exec {c}
fd . --exec-batch {c}
fdfind -e txt -x {c}
busybox sh -c '{q}'
busybox env {c}
busybox xargs {c}
watch -n1 {c}
watch -d {c}
watch '{q}'
watch -x {c}
watch -n 5 -d '{q}'
watch --interval=5 {c}
watch --interval 5 {c}
strace {c}
strace -f -o log {c}
strace -e trace=open {c}
strace -ff -e open -o log {c}
strace -c {c}
ltrace -o log {c}
perf stat {c}
perf record -o x {c}
valgrind {c}
valgrind --leak-check=full {c}
gdb --args {c}
gdb -ex run --args {c}
unshare -rn {c}
unshare --user {c}
unshare -Ur -- {c}
chroot --userspec=a:b / {c}
fakeroot {c}
fakeroot -- {c}
fakechroot {c}
nsenter -t 1 -m -u {c}
nsenter --target 1 --mount {c}
nsenter --target=1 {c}
prlimit --nofile=9 -- {c}
systemd-run --user {c}
systemd-run --user --scope {c}
systemd-run -p A=1 {c}
systemd-run --unit=x {c}
systemd-inhibit {c}
systemd-inhibit --what=idle {c}
flock -n /tmp/l {c}
flock -w 5 /tmp/l {c}
flock /tmp/l -c '{q}'
flock -n 9 {c}
flock --timeout 5 /tmp/l {c}
script -qc '{q}' /dev/null
script --command '{q}'
script --command='{q}' x
script -q -c '{q}'
script -q /dev/null {c}
runuser -u dev -- {c}
runuser dev -c '{q}'
runuser -l dev -c '{q}'
su - dev -c '{q}'
su - -c '{q}'
su root --command='{q}'
su root --command '{q}'
su -s /bin/sh dev -c '{q}'
sg adm '{q}'
sg adm -c '{q}'
newgrp adm -c '{q}'
sh -ec '{q}'
sh -xc '{q}'
sh -c -- '{q}'
/bin/sh -c '{q}'
bash -c '{q}' x
bash -c $'{q}'
bash -ic '{q}'
bash -xec '{q}'
bash -l -c '{q}'
bash --login -c '{q}'
bash --norc -c '{q}'
bash --noprofile --norc -c '{q}'
bash -eu -o pipefail -c '{q}'
bash -O extglob -c '{q}'
bash +e -c '{q}'
bash --rcfile x -c '{q}'
bash -c 'ls; {q}'
bash -c 'cd x && {q}'
bash -c '$0 "$@"' {c}
bash -c '"$@"' _ {c}
bash -c '$@' x {c}
bash -c 'exec "$@"' _ {c}
bash -c 'eval "$1"' _ '{q}'
bash -s <<< '{q}'
zsh -fc '{q}'
ksh -c '{q}'
fish -c '{q}'
ash -c '{q}'
tcsh -c '{q}'
csh -c '{q}'
pwsh -c '{q}'
rbash -c '{q}'
mksh -c '{q}'
nu -c '{q}'
elvish -c '{q}'
xonsh -c '{q}'
$SHELL -c '{q}'
"$SHELL" -c '{q}'
${{SHELL}} -c '{q}'
$BASH -c '{q}'
"$BASH" -c '{q}'
$0 -c '{q}'
eval $(echo {c})
eval -- '{q}'
eval eval {c}
eval 'eval "{q}"'
builtin eval '{q}'
command eval '{q}'
eval $'{q}'
trap "{q}" 0 INT
trap -- '{q}' EXIT
trap '{q}' ERR; false
trap '{q}' DEBUG
bash <<<'{q}'
sh -s <<< '{q}'
sh - <<< '{q}'
sh /dev/stdin <<< '{q}'
cat <<< '{q}' | sh
cat <<<'{q}'|bash
echo '{q}'|sh
echo "{q}" | bash
echo -e '{q}' | bash
echo -e "ls\n{q}" | sh
echo -n '{q}' | bash
echo '{q}' | sudo sh
echo '{q}' | sudo bash -s
echo '{q}' | env bash
echo '{q}' | tee x | sh
echo '{q}' | cat | sh
echo '{q}' | bash -x
echo '{q}' | bash -s -- a
echo '{q}' | bash /dev/stdin
echo '{q}' | bash -
echo '{q}' | ( bash )
echo '{q}' | {{ sh; }}
echo '{q}' | (cd x; bash)
echo '{q}' | while read -r l; do eval "$l"; done
echo '{q}' | while read l; do $l; done
echo '{q}' | xargs -I{{}} sh -c '{{}}'
echo '{q}' | xargs -I% bash -c %
echo '{q}' | xargs -0 sh -c
echo '{q}' | xargs sh -c '$0 $@'
echo '{q}' | xargs env
echo '{q}' | parallel
echo '{q}' | at now
echo '{q}' | batch
echo '{q}' | source /dev/stdin
echo '{q}' | . /dev/stdin
echo '{q}' | ssh host
echo '{q}' | ssh host bash
echo '{q}' | docker exec -i x sh
(echo '{q}') | sh
{{ echo ls; echo '{q}'; }} | sh
printf '{q}\n' | sh
printf '%s' "{q}" | sh
printf "ls\n{q}\n" | bash
printf '%b' '{q}' | sh
source <(echo '{q}')
source <(printf '%s' '{q}')
source <(cat <<< '{q}')
. /dev/stdin <<< '{q}'
bash <(printf '{q}')
bash < <(echo '{q}')
sh <(echo "{q}")
bash --init-file <(echo '{q}') -i
bash --rcfile <(echo '{q}')
mapfile -C '{q}' -c 1 x < f
alias ls='{q}'
alias l="{q}" m=x
coproc X {{ {c}; }}
coproc X ({c})
sudo nice -n 19 ionice -c3 {c}
nohup sh -c '{q}' &
timeout 10 xargs {c}
nohup nice {c} > log 2>&1 &
parallel {c} ::: a b
parallel -j4 {c} ::: a
parallel -j 4 {c} ::: a
parallel '{q} {{}}' ::: a
parallel --dry-run {c} ::: a
parallel ::: '{q}'
parallel ::: ls '{q}'
parallel -a list {c}
parallel --will-cite {c} ::: x
sem {c}
ssh host {c}
ssh -p 22 host {c}
ssh -p 22 -i key user@host '{q}'
ssh -o StrictHostKeyChecking=no u@h '{q}'
ssh host -- {c}
ssh host 'cd x && {q}'
ssh host bash -c '"{q}"'
mosh host -- {c}
docker exec x {c}
docker exec -it x {c}
docker exec x sh -c '{q}'
docker run alpine {c}
docker run --rm -v .:/x alpine sh -c '{q}'
docker compose exec web {c}
docker compose run --rm web {c}
podman exec x {c}
podman run alpine {c}
kubectl exec pod -- {c}
kubectl exec -it pod -n ns -- sh -c '{q}'
kubectl run x --image=y -- {c}
lxc exec x -- {c}
vagrant ssh -c '{q}'
npx -c '{q}'
npm exec -- {c}
npm exec -c '{q}'
npx {c}
pnpm exec {c}
pnpm dlx {c}
yarn exec {c}
bunx {c}
bun x {c}
uv run {c}
uv run -- {c}
uv run --with x {c}
uvx {c}
poetry run {c}
pipenv run {c}
pdm run {c}
hatch run {c}
rye run {c}
pixi run {c}
conda run -n base {c}
conda run {c}
micromamba run -n x {c}
bundle exec {c}
direnv exec . {c}
dotenv {c}
dotenv -f x -- {c}
nix-shell --run '{q}'
nix develop -c {c}
nix run nixpkgs#x -- {c}
op run -- {c}
aws-vault exec p -- {c}
doppler run -- {c}
mise exec -- {c}
mise x -- {c}
asdf exec {c}
rbenv exec {c}
pyenv exec {c}
tmux new -d '{q}'
tmux new-session -d '{q}'
tmux send-keys '{q}' Enter
screen -dm {c}
screen -dmS x {c}
entr {c}
ls | entr -r {c}
entr -s '{q}'
nodemon --exec '{q}'
nodemon -x '{q}'
watchexec {c}
watchexec -- {c}
hyperfine '{q}'
hyperfine -w 3 '{q}'
dbus-run-session {c}
dbus-run-session -- {c}
xvfb-run {c}
xvfb-run -a {c}
xvfb-run -s '-screen 0' {c}
catchsegv {c}
proxychains {c}
proxychains4 -q {c}
torsocks {c}
tsocks {c}
firejail {c}
firejail --noprofile {c}
bwrap --ro-bind / / {c}
bwrap --dev-bind / / -- {c}
proot -r / {c}
setarch x86_64 {c}
setarch -R {c}
linux64 {c}
linux32 {c}
unbuffer {c}
rlwrap {c}
expect -c 'spawn {q}'
cpulimit -l 50 -- {c}
cpulimit -l 50 {c}
trickle -d 10 {c}
eatmydata {c}
chpst -u x {c}
softlimit {c}
daemonize {c}
start-stop-daemon --start --exec /bin/x -- {c}
caffeinate -i {c}
gnome-terminal -- {c}
xterm -e {c}
xterm -e '{q}'
/lib64/ld-linux-x86-64.so.2 /bin/{c}
ld.so --preload x /bin/{c}
git bisect run {c}
git -c alias.x='!{q}' x
git rebase -x '{q}' main
git rebase --exec '{q}' main
git rebase --exec='{q}' main
git submodule foreach '{q}'
git submodule foreach --recursive {c}
git filter-branch --tree-filter '{q}' HEAD
git -c core.pager='{q}' log
git -c core.sshCommand='{q}' fetch
git -c core.fsmonitor='{q}' status
git -c core.editor='{q}' commit
git config alias.x '!{q}'
git difftool -x '{q}'
GIT_SSH_COMMAND='{q}' git fetch
GIT_EDITOR='{q}' git commit
GIT_PAGER='{q}' git log
PAGER='{q}' man ls
EDITOR='{q}' crontab -e
PROMPT_COMMAND='{q}' bash -i
tar cf x --checkpoint=1 --checkpoint-action=exec='{q}' .
tar xf x --to-command='{q}'
tar -I '{q}' -xf a
tar --use-compress-program='{q}' -xf a
rsync -e '{q}' a b:
scp -S '{q}' a b:
ssh -o ProxyCommand='{q}' h
sed '1e {q}' x
sed -n 's/a/{q}/e' x
awk 'BEGIN{{system("{q}")}}'
awk '{{print | "{q}"}}' x
gawk 'BEGIN{{"{q}" | getline}}'
python3 -c 'import os; os.system("{q}")'
python3 -c 'import subprocess as s; s.run("{q}", shell=True)'
perl -e 'system("{q}")'
perl -e 'exec "{q}"'
perl -e '`{q}`'
ruby -e 'system("{q}")'
ruby -e '`{q}`'
node -e 'require("child_process").execSync("{q}")'
php -r 'system("{q}");'
lua -e 'os.execute("{q}")'
vim -c '!{q}' -c q
vim +'!{q}'
ed <<< '!{q}'
make -f - <<< 'x:; {q}'
make SHELL='{q}'
man -P '{q}' ls
less +'!{q}' x
psql -c '\! {q}'
sqlite3 x '.shell {q}'
zip x y -T -TT '{q}'
sort --compress-program='{q}' x
split --filter='{q}' x
crontab <<< '* * * * * {q}'
echo '* * * * * {q}' | crontab -
at now <<< '{q}'
env bash <<< '{q}'
sudo bash <<< '{q}'
python3 <<< 'import os; os.system("{q}")'
echo a#b; {c}
echo 'a' "b"; {c}
echo \'; {c}
echo "\""; {c}
set -e; {c}
cd /tmp && {c}
cd src; {c}
pushd x && {c}
wait; {c}
true && false || {c}
[ -f x ] && {c}
[[ -f x ]] && {c}
test -f x && {c}
((1)) && {c}
exec > log; {c}
if [ -f x ]; then {c}; fi
while read -r f; do {c}; done < list
while read -r f; do {c} "$f"; done < <(ls)
ls | while read f; do {c} $f; done
for f in *; do [ -f $f ] && {c}; done
seq 3 | while read i; do {c}; done
{c} <<EOF
echo '{q}' > s.sh; sh s.sh
echo '{q}' > s.sh && chmod +x s.sh && ./s.sh
printf '{q}' > /tmp/s && . /tmp/s
""".strip("\n").split("\n"),
    'declare x="$({c})"',
    'cat <<< "$({c})"',
    'ls > "$({c})"',
    'test -n "$({c})"',
    'echo "${{x:-$({c})}}"',
    'echo "${{x:+$({c})}}"',
    ': "$({c})"',
    'sh -c "{q}"',
    "bash -c \"bash -c '{q}'\"",
    'bash -c "sh -c \\"{q}\\""',
    'eval "{q}"',
    "eval \"$(echo '{q}')\"",
    'eval "`echo {c}`"',
    "eval \"eval '{q}'\"",
    'bash <<< "{q}"',
    "bash -c \"$(echo '{q}')\"",
    "bash -c \"`echo '{q}'`\"",
    "bash -c \"$(cat <<< '{q}')\"",
    "sh -c \"$(printf '{q}')\"",
    'ssh -t host "{q}"',
    'awk "BEGIN{{system(\\"{q}\\")}}"',
    "python -c \"import os; os.system('{q}')\"",
    " ; {c}",
    "cat <<E\n`{c}`\nE",
    "cat <<-E\n\t$({c})\n\tE",
    'sh <<"E"\n{c}\nE',
    "sh <<\\E\n{c}\nE",
    "bash -s <<E\nls\n{c}\nE",
    "bash <<-E\n\t{c}\n\tE",
    "sudo bash <<E\n{c}\nE",
    "env A=1 sh <<E\n{c}\nE",
    "cat <<'E' | sudo bash\nls\n{c}\nE",
    "ssh host <<E\n{c}\nE",
    "ssh host bash <<'E'\n{c}\nE",
    'eval "$(cat <<E\n{c}\nE\n)"',
    "bash -c \"$(cat <<'E'\n{c}\nE\n)\"",
    "source /dev/stdin <<E\n{c}\nE",
    "bash /dev/stdin <<E\n{c}\nE",
    "docker exec -i x sh <<E\n{c}\nE",
    "su dev <<E\n{c}\nE",
    "for f in a\ndo\n{c}\ndone",
    "{{\n{c}\n}}",
    "(\n{c}\n)",
    "f() {{\n{c}\n}}\nf",
    "case x in\nx)\n{c}\n;;\nesac",
    "ls &&\n{c}",
    "ls |\n{c}",
    "ls ||\n{c}",
    "ls && \\\n{c}",
    "ls \\\n&& {c}",
    "ls;\\\n{c}",
    "bash -c '\nls\n{q}\n'",
    "python3 - <<E\nimport os\nos.system('{q}')\nE",
    "python3 <<E\nimport os; os.system('{q}')\nE",
    "cat <<E > x\nE\n{c}",
    "cat <<A <<B\nA\nB\n{c}",
    "tee x <<E\n$({c})\nE",
    "perl <<'E'\nsystem('{q}');\nE",
    "while true\ndo {c}\nbreak\ndone",
    "ls\\\n;{c}",
    "make -f - <<'E'\nx:\n\t{q}\nE",
    "cat > s.sh <<'E'\n{c}\nE\nbash s.sh",
]
"""Where a call, ``c``, may stand; ``q`` is the same without quotes of its own."""

BROKEN = [
    *r"""
{c} '
ls; {c}; echo 'x
{c} )
{c} $(
( {c}
{{ {c}
if {c}
{c} <<E
{c};;
while {c}
ls &&& {c}
; {c}
&& {c}
| {c}
then {c}
done; {c}
do {c}
else {c}; fi
fi; {c}
{c} ${{
{c} `
case x in {c}
[[ x; {c}
a=( {c}
echo ${{x@P}}; {c}
function {c}
foo() {c}
{c} && && ls
ls >>> x; {c}
""".strip("\n").split("\n"),
    '{c} "',
    "{c}\r",
    "ls\r\n{c}\r\n",
    "{c} \x01",
    "\ufeff{c}",
    "ls\x0b;{c}",
    "{c}\xa0x",
    "ls\u2028{c}",
]
"""Lines that are not understood as a whole."""

PUT_TOGETHER = [
    *r"""
x={p}; $x {w}
x={p}; "$x" {w}
x={p}; ${{x}} {w}
x={p} && $x {w}
x='{p} {w}'; $x
x="{p} {w}"; eval $x
x='{p} {w}'; echo "$x" | sh
x='{p} {w}'; echo $x | bash
x='{p} {w}'; printf '%s' "$x" | sh
a={a}; b={b}; $a$b {w}
a={a} b={b}; ${{a}}${{b}} {w}
x={p}; y=$x; $y {w}
x={p}; y=${{x}}; command $y {w}
x={p}; sudo $x {w}
x={p}; env $x {w}
x=/bin/{p}; $x {w}
d=/bin; $d/{p} {w}
d=/bin; "$d"/{p} {w}
for c in {p}; do $c {w}; done
for c in ls {p}; do $c {w}; done
export x={p}; $x {w}
declare x={p}; $x {w}
local x={p}; $x {w}
readonly x={p}; $x {w}
typeset x={p}; $x {w}
x=({p} {w}); ${{x[*]}}
x=({p}); ${{x[0]}} {w}
x=({p}); $x {w}
x=({p}); ${{x}} {w}
x[0]={p}; ${{x[0]}} {w}
x+={p}; $x {w}
x={a}; x+={b}; $x {w}
x={a}; x=${{x}}{b}; $x {w}
set -- {p} {w}; $@
set -- {p} {w}; $*
set -- {p}; $1 {w}
x=$(echo {p}); $x {w}
x=`echo {p}`; $x {w}
read x <<< {p}; $x {w}
read -r x <<< '{p} {w}'; $x
read x < <(echo {p}); $x {w}
printf -v x %s {p}; $x {w}
printf -v x '%s%s' {a} {b}; $x {w}
x={p}x; ${{x%x}} {w}
x=x{p}; ${{x#x}} {w}
x=xx{p}; ${{x:2}} {w}
x={p}zz; ${{x:0:{n}}} {w}
x=/bin/{p}; ${{x##*/}} {w}
x={A}; ${{x,,}} {w}
x={p}; ${{x,,}} {w}
x=Q{b}; ${{x/Q/{a}}} {w}
x={p}; ${{x:-ls}} {w}
${{y:-{p}}} {w}
${{y-{p} {w}}}
${{y:={p}}} {w}
x={p}; ${{x@Q}} {w}
x={p}; n=x; ${{!n}} {w}
declare -n n=x; x={p}; $n {w}
f() {{ $1 {w}; }}; f {p}
f() {{ "$@"; }}; f {p} {w}
run() {{ eval "$*"; }}; run {p} {w}
f() {{ {p} "$@"; }}; f {w}
alias q={p}; q {w}
if x={p}; then $x {w}; fi
x=ls; x={p}; $x {w}
x={p}; if true; then $x {w}; fi
x={p}; (  $x {w} )
x={p}; echo $($x {w})
{{{p},{w0}}}
{{{p},{w0},y}}
x={p}; timeout 5 $x {w}
x={p}; find . -exec $x {w} \;
x={p}; xargs $x {w}
x={p}; nohup $x {w} &
hash -p /bin/{p} zz; zz {w}
ln -s /bin/{p} zz; ./zz {w}
cp /bin/{p} zz; ./zz {w}
ln -s $(which {p}) zz && ./zz {w}
type {p}; {p} {w}
x=$'{p}'; $x {w}
x="{a}"'{b}'; $x {w}
X={p}; readonly X; ${{X}} {w}
env X={p} bash -c '$X {w}'
X={p} bash -c '$X {w}'
X='{p} {w}' sh -c 'eval "$X"'
export X={p}; bash -c '$X {w}'
x={p}; $x$y {w}
w='{w}'; {p} $w
case 1 in *) x={p};; esac; $x {w}
((1)) && x={p}; $x {w}
cat <<< '{p} {w}' > s; bash s
x=(ls {p}); ${{x[1]}} {w}
declare -A m=([k]={p}); ${{m[k]}} {w}
x=$(printf '\x{xa}{b}'); $x {w}
x=$(echo {B64} | base64 -d); $x {w}
$(echo {B64} | base64 -d) {w}
echo {B64C} | base64 -d | sh
echo {B64C} | base64 --decode | bash
base64 -d <<< {B64C} | sh
eval $(base64 -d <<< {B64C})
echo {HEX} | xxd -r -p | sh
xxd -r -p <<< {HEX} | bash
printf '{XES}' | sh
echo -e '{XES}' | bash
eval $'{XES}'
bash -c $'{XES}'
$'{XESP}' {w}
echo {REV} | rev | sh
printf '{OCT}' | bash
python3 -c 'import os; os.system("{p} {w}")'
source <(echo {B64C} | base64 -d)
bash <(base64 -d <<< {B64C})
echo '{p} {w}' | sed 's/x/x/' | sh
awk 'BEGIN{{print "{p} {w}"}}' | sh
sed -n p <<< '{p} {w}' | bash
openssl base64 -d <<< {B64C} | sh
printf %s '{p} {w}' | tee /dev/null | bash
echo {p} {w} | tr -d '!' | sh
yes '{p} {w}' | head -1 | sh
""".strip("\n").split("\n"),
    "x={p}\n$x {w}",
    "x='{p} {w}'; eval \"$x\"",
    "x='{p} {w}'; bash -c \"$x\"",
    "x='{p} {w}'; sh -c \"$x\"",
    "x='{p} {w}'; bash <<< \"$x\"",
    'x=({p} {w}); "${{x[@]}}"',
    'declare -a x=({p} {w}); "${{x[@]}}"',
    'set -- {p} {w}; "$@"',
    'set {p} {w}; "$@"',
    "x={p}; \\\n$x {w}",
    "shopt -s expand_aliases; alias q={p}\nq {w}",
    "x=\\\n{p}; $x {w}",
    'w=({w}); {p} "${{w[@]}}"',
    'bash -c "$(echo {B64C} | base64 -d)"',
    'eval "$(echo {B64C} | base64 -d)"',
    "eval \"$(echo '{REV}' | rev)\"",
]
"""Calls whose program, ``p``, or words, ``w``, come from variables, functions, files and what programs print."""


def hidden_spellings(program: str, words: str) -> Iterator[str]:
    """Every spelling of ``program words`` that the lists above make."""
    call = f"{program} {words}"
    for frame in (*FRAMES, *BROKEN):
        yield frame.format(c=call, q=call)
    parts = {
        "p": program, "w": words, "a": program[0], "b": program[1:], "n": len(program), "A": program.upper(),
        "w0": words.split()[0], "xa": f"{ord(program[0]):02x}", "HEX": call.encode().hex(), "REV": call[::-1],
        "B64": base64.b64encode(program.encode()).decode(), "B64C": base64.b64encode(call.encode()).decode(),
        "XES": "".join(f"\\x{ord(sign):02x}" for sign in call), "OCT": "".join(f"\\{ord(sign):03o}" for sign in call),
        "XESP": "".join(f"\\x{ord(sign):02x}" for sign in program),
    }  # fmt: skip
    for text in PUT_TOGETHER:
        yield text.format(**parts)
