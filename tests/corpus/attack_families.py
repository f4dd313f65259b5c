"""Attacks by family: each dangerous word in many disguises, each call at many places of a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

FLAGS: dict[str, list[str]] = {
    "sort": ["sort ⟦-o⟧ made notes.txt", "sort ⟦-omade⟧ notes.txt", "sort ⟦--output=made⟧ notes.txt", "sort notes.txt ⟦--output⟧ made",
             "sort ⟦--outp=made⟧ notes.txt", "sort -rn⟦o⟧ made notes.txt", "sort ⟦--compress-program=tools/fmt.sh⟧ -S1k data/big.txt",
             "sort ⟦--compress-prog=tools/fmt.sh⟧ data/big.txt", "sort ⟦--files0-from=data/list0⟧", "sort ⟦-T⟧ src notes.txt",
             "sort ⟦--random-source=../secret/token.txt⟧ -R notes.txt"],
    "writers": ["uniq notes.txt ⟦made⟧", "uniq -c notes.txt ⟦made⟧", "tree ⟦-o⟧ made", "tree ⟦-R⟧ -L 1", "xxd notes.txt ⟦made⟧", "xxd -r data/in ⟦made⟧",
                "iconv -f utf-8 -t utf-8 ⟦-o⟧ made notes.txt", "iconv ⟦--output=made⟧ notes.txt", "sdiff ⟦-o⟧ made notes.txt README.md",
                "file ⟦-C⟧ -m tools/magic", "file ⟦--compile⟧", "less ⟦-o⟧ made notes.txt", "less ⟦-O⟧made notes.txt", "less ⟦--log-file=made⟧ notes.txt",
                "cat notes.txt | tee ⟦made⟧", "cat notes.txt | tee ⟦-a⟧ made", "shuf ⟦-o⟧ made notes.txt", "split notes.txt ⟦made⟧", "csplit notes.txt ⟦2⟧",
                "comm ⟦--output=x⟧ notes.txt README.md", "base64 notes.txt ⟦made⟧", "fmt ⟦-o⟧ notes.txt", "gzip ⟦notes.txt⟧", "gunzip ⟦data/x.gz⟧",
                "unzip ⟦data/a.zip⟧", "tar ⟦xf⟧ data/a.tar", "tar ⟦-xf⟧ data/a.tar", "zip ⟦made.zip⟧ notes.txt", "pr ⟦-x⟧ notes.txt"],
    "find": ["find . -name x ⟦-exec⟧ touch made ⟦;⟧", "find . ⟦-execdir⟧ touch made ⟦;⟧", "find . ⟦-ok⟧ touch made ⟦;⟧", "find . ⟦-okdir⟧ touch made ⟦;⟧",
             "find . -name notes.txt ⟦-delete⟧", "find . ⟦-fprint⟧ made", "find . ⟦-fprint0⟧ made", "find . ⟦-fprintf⟧ made x", "find . ⟦-fls⟧ made",
             "find ⟦-files0-from⟧ data/list0", "find -D exec . ⟦-delete⟧", "find . -maxdepth 0 ⟦-exec⟧ touch made '{}' +", "fd app ⟦-x⟧ touch made",
             "fd app ⟦-X⟧ touch made", "fd app ⟦--exec⟧ touch made", "fdfind app ⟦--exec-batch⟧ touch made", "fdfind ⟦-l⟧ app", "fd ⟦--base-directory⟧ .. app"],
    "search": ["rg ⟦--pre⟧ tools/fmt.sh TODO", "rg ⟦--pre=tools/fmt.sh⟧ TODO", "rg ⟦--hostname-bin=tools/fmt.sh⟧ TODO", "rg ⟦-z⟧ TODO", "rg ⟦--search-zip⟧ TODO",
               "rg ⟦-f⟧ ../secret/token.txt .", "grep ⟦-f⟧ ../secret/token.txt notes.txt", "grep ⟦-f../secret/token.txt⟧ notes.txt",
               "grep ⟦--file=../secret/token.txt⟧ notes.txt", "grep -r x ⟦../secret⟧", "grep ⟦-R⟧ TOKEN .", "rg ⟦-L⟧ TOKEN", "rg ⟦--follow⟧ TOKEN",
               "grep ⟦--exclude-from=../secret/token.txt⟧ -r a .", "rg ⟦--ignore-file=../secret/token.txt⟧ a", "git grep ⟦-O⟧tools/fmt.sh TODO",
               "git grep ⟦--open-files-in-pager=tools/fmt.sh⟧ TODO", "git grep ⟦--no-index⟧ TOKEN ../secret", "git grep ⟦-f⟧ ../secret/token.txt"],
    "sed": ["sed ⟦-i⟧ s/a/b/ notes.txt", "sed ⟦-i.bak⟧ 1d notes.txt", "sed ⟦--in-place⟧ 1d notes.txt", "sed ⟦--in-pl⟧ 1d notes.txt", "sed -n⟦i⟧ 1p notes.txt",
            "sed ⟦-f⟧ tools/edit.sed notes.txt", "sed ⟦--file=tools/edit.sed⟧ notes.txt", "sed ⟦1w made⟧ notes.txt", "sed ⟦w made⟧ notes.txt",
            "sed ⟦s/a/b/w made⟧ notes.txt", "sed ⟦s/a/b/gw made⟧ notes.txt", "sed ⟦1e touch made⟧ notes.txt", "sed ⟦e⟧ notes.txt", "sed ⟦s/.*/touch made/e⟧ notes.txt",
            "sed -n ⟦/a/w made⟧ notes.txt", "sed ⟦1r ../secret/token.txt⟧ notes.txt", "sed ⟦1R ../secret/token.txt⟧ notes.txt", "sed ⟦W made⟧ notes.txt",
            "sed -e p -e ⟦w made⟧ notes.txt", "sed '1{p;w made\n}' ⟦notes.txt⟧", "sed ⟦s/[]/]/;/w made/p⟧ notes.txt", "sed ⟦y/a/b/;w made⟧ notes.txt",
            "sed ⟦$!N;w made⟧ notes.txt", "sed -s ⟦-n⟧ 'w made' notes.txt", "sed ⟦s,a,b,;w made⟧ notes.txt", "sed ⟦:a;w made⟧ notes.txt"],
    "awk": ["awk ⟦BEGIN{system(\"touch made\")}⟧", "awk ⟦{print > \"made\"}⟧ notes.txt", "awk ⟦{print >> \"made\"}⟧ notes.txt", "awk ⟦BEGIN{print \"x\" | \"sh\"}⟧",
            "awk ⟦BEGIN{\"touch made\" | getline}⟧", "awk ⟦BEGIN{getline x < \"../secret/token.txt\"; print x}⟧", "awk ⟦-f⟧ tools/prog.awk", "gawk ⟦-i⟧ inplace 1 notes.txt",
            "gawk ⟦-l⟧ filefuncs 1", "gawk ⟦-o⟧made 'BEGIN{}'", "gawk ⟦--dump-variables=made⟧ 'BEGIN{}'", "gawk ⟦-p⟧made 1 notes.txt", "awk ⟦BEGIN{print ENVIRON[\"HOME\"]}⟧",
            "gawk ⟦@load \"filefuncs\"⟧", "gawk ⟦BEGIN{f=\"system\"; @f(\"touch made\")}⟧", "awk ⟦BEGIN{printf \"x\" > \"made\"}⟧", "awk ⟦{print a, \n b > \"made\"}⟧ notes.txt",
            "awk ⟦BEGIN{ARGV[1]=\"../secret/token.txt\";ARGC=2} 1⟧", "awk ⟦{print $0 | \"tee made\"}⟧ notes.txt", "gawk ⟦BEGIN{print PROCINFO[\"environ\"]}⟧",
            "awk -v ⟦x=1⟧ 'BEGIN{system(\"touch made\")}'", "awk ⟦1 ; END{close(\"x\"); system(\"\")}⟧ notes.txt", "gawk ⟦-E⟧ tools/prog.awk", "awk '1' ⟦../secret/token.txt⟧",
            "awk ⟦BEGIN{if (x) /\"/; system(\"touch made\") #\"}⟧", "gawk ⟦-e⟧ 'BEGIN{system(\"touch made\")}'", "gawk ⟦--source=BEGIN{system(\"id\")}⟧"],
    "jq": ["jq -n ⟦env⟧", "jq -n ⟦$ENV.HOME⟧", "jq -n ⟦$ENV|keys⟧", "jq -n ⟦[.]-env⟧", "jq ⟦-f⟧ ../secret/prog.jq notes.txt", "jq ⟦--from-file⟧ ../secret/prog.jq", "jq -n ⟦--rawfile⟧ a ../secret/token.txt '$a'",
           "jq -n ⟦--slurpfile⟧ a ../secret/token.json '$a'", "jq ⟦-L⟧ ../secret 'import \"m\" as m; m::v'", "jq -n ⟦import \"../secret/token\" as $x; $x⟧", "jq -Rs . ⟦../secret/token.txt⟧",
           "jq -n ⟦include \"../secret/m\"; v⟧", "jq -n⟦f⟧ ../secret/prog.jq", "jq -n ⟦\"\\(env.HOME)\"⟧", "jq -n ⟦--argfile⟧ a ../secret/token.json '$a'", "jq -n ⟦{env}⟧", "yq ⟦-i⟧ .a=1 conf.yaml",
           "yq ⟦load(\"../secret/token.json\")⟧ conf.yaml", "yq ⟦env(HOME)⟧ conf.yaml"],
    "git": ["git log ⟦--output=made⟧", "git diff ⟦--output=made⟧", "git diff ⟦--output⟧ made", "git show ⟦--output=made⟧", "git diff ⟦--ext-diff⟧", "git log -p ⟦--textconv⟧", "git ⟦-c⟧ core.pager=tools/fmt.sh log",
            "git ⟦-ccore.fsmonitor=tools/fmt.sh⟧ status", "git ⟦--config-env=core.pager=HOME⟧ log", "git ⟦--exec-path=tools⟧ status", "git ⟦--git-dir=tools/inner/.git⟧ log", "git ⟦-C⟧ ../secret log",
            "git ⟦-C⟧ tools/inner status", "git ⟦-C⟧ tools/inner diff", "git ⟦--paginate⟧ log", "git ⟦-p⟧ log", "git diff ⟦--no-index⟧ notes.txt ../secret/token.txt", "git diff notes.txt ⟦../secret/token.txt⟧",
            "git diff /dev/null ⟦../secret/token.txt⟧", "git blame ⟦--contents⟧ ../secret/token.txt notes.txt", "git branch ⟦new⟧", "git branch ⟦-D⟧ main2", "git branch ⟦-m⟧ x", "git branch ⟦-f⟧ main2 main", "git branch ⟦-d⟧ main2",
            "git tag ⟦new⟧", "git tag ⟦-d⟧ v1", "git tag ⟦-a⟧ x -m y", "git tag ⟦-f⟧ v1", "git stash ⟦pop⟧", "git stash ⟦drop⟧", "git ⟦stash⟧", "git stash ⟦push⟧", "git reflog ⟦expire⟧ --all", "git reflog ⟦delete⟧ HEAD@{0}",
            "git remote ⟦add⟧ x y", "git remote ⟦remove⟧ origin", "git remote ⟦show⟧ origin", "git remote ⟦update⟧", "git config ⟦user.name⟧ x", "git config ⟦--unset⟧ user.name", "git config ⟦--global⟧ x.y z", "git config ⟦-e⟧",
            "git ⟦fetch⟧", "git ⟦pull⟧", "git ⟦push⟧", "git ⟦checkout⟧ main2", "git ⟦switch⟧ main2", "git ⟦restore⟧ .", "git ⟦reset⟧ --hard", "git ⟦clean⟧ -fd", "git ⟦add⟧ .", "git ⟦commit⟧ -m x", "git ⟦rm⟧ notes.txt", "git ⟦mv⟧ a b",
            "git ⟦gc⟧", "git ⟦bisect⟧ run tools/run.sh", "git ⟦rebase⟧ -x 'touch made' HEAD~1", "git ⟦submodule⟧ update", "git ⟦worktree⟧ add ../x", "git worktree ⟦add⟧ ../x", "git ⟦archive⟧ HEAD", "git ⟦bundle⟧ create made HEAD",
            "git ⟦apply⟧ data/fix.patch", "git ⟦am⟧ x", "git ⟦merge⟧ main2", "git ⟦cherry-pick⟧ main2", "git ⟦init⟧ x", "git ⟦clone⟧ . made", "git ⟦update-index⟧ --refresh", "git ⟦hash-object⟧ -w notes.txt", "git ⟦var⟧ -l x", "git ⟦daemon⟧",
            "git symbolic-ref HEAD ⟦refs/heads/x⟧", "git symbolic-ref ⟦-d⟧ HEAD", "git notes ⟦add⟧ -m x", "git show-ref ⟦--exclude-existing⟧", "git rev-parse ⟦--parseopt⟧", "git ls-files ⟦-X⟧ ../secret/token.txt",
            "git ls-files ⟦--exclude-from=../secret/token.txt⟧", "git log ⟦--show-signature⟧", "git difftool ⟦-x⟧ tools/fmt.sh", "git help ⟦-w⟧ log", "git ⟦credential⟧ fill", "git for-each-ref ⟦--shell⟧", "git diff ⟦-O⟧tools/fmt.sh",
            "git shortlog ⟦--output=made⟧", "git cat-file ⟦--textconv⟧ HEAD:README.md", "git cat-file ⟦--batch⟧", "git diff ⟦--submodule=log⟧", "git log ⟦--remerge-diff⟧", "git grep ⟦--recurse-submodules⟧ a", "git ⟦whatchanged⟧"],
    "pagers": ["man ⟦-P⟧ tools/fmt.sh ls", "man ⟦--pager=tools/fmt.sh⟧ ls", "man ⟦-H⟧tools/fmt.sh ls", "man ⟦-l⟧ tools/x", "man ⟦-C⟧ tools/man.conf ls", "man ⟦-M⟧ tools/manpages page", "man ⟦./tools/x⟧", "less ⟦+!touch\\ made⟧ notes.txt",
               "less ⟦-k⟧ tools/x notes.txt", "less ⟦--lesskey-file=x⟧ notes.txt", "more ⟦+/x⟧ ../secret/token.txt", "help ⟦-m⟧ cd > made", "git help ⟦log⟧", "less ⟦-Tmade⟧ notes.txt", "less ⟦../secret/token.txt⟧"],
    "system": ["date ⟦-s⟧ 10:00", "date ⟦--set=10:00⟧", "date ⟦01010101⟧", "date ⟦-f⟧ ../secret/token.txt", "date ⟦-r⟧ ../secret/token.txt", "hostname ⟦x⟧", "hostname ⟦-F⟧ ../secret/token.txt", "hostname ⟦-b⟧ x", "umask ⟦0⟧", "ulimit ⟦-c⟧ 0",
               "history ⟦-w⟧ made", "history ⟦-c⟧", "history ⟦-a⟧", "tput ⟦reset⟧", "tput ⟦init⟧", "ps ⟦e⟧", "ps ⟦auxe⟧", "ps ⟦axe⟧", "ps ⟦-o⟧ environ", "ps ⟦-ef⟧ -t", "ps ⟦eww⟧", "free ⟦-s⟧ 1", "hash ⟦-p⟧ tools/cat cat", "alias ⟦ls=touch⟧", "type ⟦-x⟧",
               "set ⟦-x⟧", "set ⟦--⟧ a b", "set ⟦-o⟧ xtrace", "set ⟦-f⟧", "jobs ⟦-x⟧ touch made", "lsof ⟦-D⟧b", "ss ⟦-K⟧", "ss ⟦-D⟧ made", "last ⟦-f⟧ ../secret/token.txt", "who ⟦../secret/token.txt⟧", "stat ⟦-L⟧ link-out/token.txt",
               "df ⟦../secret⟧", "lsblk ⟦--sysroot⟧ ..", "getconf ⟦-v⟧ x y", "locale ⟦../x⟧", "kill ⟦-9⟧ 1", "pkill ⟦x⟧", "printenv ⟦AGENT_API_KEY⟧", "printenv ⟦-0⟧", "env ⟦-0⟧", "dirs ⟦-c⟧", "read ⟦PATH⟧",
               "read ⟦-a⟧ x", "read ⟦-u⟧ 3 x", "printf ⟦-v⟧ x y", "printf ⟦%n⟧ x", "test ⟦-v⟧ x[0]", "[ ⟦-v⟧ 'a[$(touch made)]' ]", "[[ ⟦-v⟧ 'a[$(touch made)]' ]]", "[ ⟦-R⟧ x ]", "[[ 'a[$(touch made)]' ⟦-eq⟧ 0 ]]", "cal ⟦-x⟧"],
    "archives": ["tar ⟦--to-command=tools/fmt.sh⟧ -xf data/a.tar", "tar ⟦-I⟧ tools/fmt.sh -tf data/a.tar", "tar tf data/a.tar ⟦--checkpoint-action=exec=touch\\ made⟧", "tar ⟦-F⟧ tools/fmt.sh -tf data/a.tar", "tar tf ⟦host:x⟧",
                 "tar ⟦-tf⟧ ../secret/a.tar", "tar tf data/a.tar ⟦--index-file=made⟧", "tar ⟦--use-compress-program=tools/fmt.sh⟧ -tf data/a.tar", "tar ⟦cf⟧ made notes.txt", "tar ⟦rf⟧ data/a.tar notes.txt", "zip -T ⟦-TT⟧ tools/fmt.sh data/a.zip",
                 "unzip ⟦-o⟧ data/a.zip", "unzip -p data/a.zip ⟦-d⟧ src", "zcat ⟦../secret/x⟧", "gzip -c ⟦../secret/token.txt⟧", "gunzip ⟦-k⟧ data/x.gz", "gzip ⟦-d⟧ data/x.gz", "unzip -l ⟦../secret/a.zip⟧", "tar ⟦tf⟧ data/a.tar --rsh-command=x"],
    "diff": ["diff notes.txt ⟦../secret/token.txt⟧", "diff ⟦--to-file=../secret/token.txt⟧ notes.txt", "diff ⟦--from-file=../secret/token.txt⟧ notes.txt", "diff ⟦-r⟧ . src", "diff ⟦-r⟧ src link-out", "diff ⟦--exclude-from=../secret/token.txt⟧ -r src docs",
             "cmp notes.txt ⟦../secret/token.txt⟧", "comm notes.txt ⟦../secret/token.txt⟧", "join notes.txt ⟦../secret/token.txt⟧", "paste notes.txt ⟦../secret/token.txt⟧", "diff3 notes.txt ⟦../secret/token.txt⟧ notes.txt", "sdiff notes.txt ⟦../secret/token.txt⟧",
             "diff ⟦-X⟧ ../secret/token.txt -r src docs", "wc ⟦--files0-from=data/list0⟧", "du ⟦--files0-from=data/list0⟧", "du ⟦-X⟧ ../secret/token.txt", "md5sum ⟦-c⟧ notes.txt", "sha256sum ⟦--check⟧ notes.txt", "head notes.txt ⟦../secret/token.txt⟧"],
    "programs": ["⟦touch⟧ made", "⟦rm⟧ notes.txt", "⟦cp⟧ notes.txt made", "⟦mv⟧ notes.txt made", "⟦python3⟧ -c 'open(\"made\",\"w\")'", "⟦python3⟧ tools/run.py", "⟦perl⟧ -e 'print 1'", "⟦node⟧ -e 1", "⟦bash⟧ tools/run.sh", "⟦sh⟧ -c 'touch made'", "⟦make⟧",
                 "⟦npm⟧ test", "⟦cargo⟧ build", "⟦pytest⟧", "⟦curl⟧ http://127.0.0.1:9", "⟦wget⟧ x", "⟦nc⟧ -l 1", "⟦ssh⟧ host", "⟦docker⟧ ps", "⟦sqlite3⟧ data/app.db 'select 1'", "⟦vim⟧ -c q", "⟦ed⟧ notes.txt", "⟦dd⟧ if=notes.txt", "⟦tools/cat⟧ notes.txt",
                 "⟦./tools/ls⟧", "⟦tools/run.sh⟧", "⟦ln⟧ -s a b", "⟦chmod⟧ +x notes.txt", "⟦mkdir⟧ made", "⟦truncate⟧ -s 0 notes.txt", "⟦install⟧ notes.txt made", "⟦eval⟧ touch made", "⟦source⟧ tools/env", "⟦.⟧ tools/env", "⟦exec⟧ touch made", "⟦command⟧ touch made",
                 "⟦builtin⟧ eval touch made", "⟦nohup⟧ ls", "⟦sudo⟧ ls", "⟦xargs⟧ touch", "⟦env⟧ touch made", "⟦busybox⟧ touch made", "⟦time⟧ touch made", "⟦nice⟧ touch made", "⟦timeout⟧ 5 touch made", "⟦watch⟧ ls", "⟦parallel⟧ touch ::: made", "⟦script⟧ -c ls made",
                 "⟦openssl⟧ rand -out made 8", "⟦gpg⟧ -d x", "⟦java⟧ -jar x", "⟦go⟧ run x", "⟦uv⟧ run x", "⟦gcc⟧ notes.txt", "⟦patch⟧ -i data/fix.patch", "⟦rsync⟧ notes.txt made", "⟦crontab⟧ -l", "⟦at⟧ now", "⟦logger⟧ x", "⟦mail⟧ x", "⟦stty⟧ x", "⟦reset⟧"],
}  # fmt: skip
"""By family: calls whose dangerous words stand in ``⟦…⟧``."""

READERS = ["cat {}", "head -n 1 {}", "tail -c 99 {}", "grep . {}", "wc {}", "sort {}", "nl {}", "od -c {}", "base64 {}", "cut -c1-9 {}", "sed p {}", "awk 1 {}", "jq -R . {}", "rg . {}", "cat < {}", "tr a b < {}", "while read -r l; do echo \"$l\"; done < {}",
           "diff notes.txt {}", "git diff notes.txt {}", "find {}", "ls {}", "file {}", "stat {}", "xxd {}", "rev {}", "paste {}", "fold {}", "strings {}", "[ -s {} ] && cat {}", "for f in {}; do cat \"$f\"; done", "du -a {}", "tree {}", "cat notes.txt {}",
           "git grep a -- {}", "git log -- {}", "less {}", "column {}", "echo \"$(<{})\"", "cat $(echo {})", "f={}; cat $f", "f={}; cat \"$f\"", "readlink -e {}", "realpath {}/x", "cksum {}", "zcat {}", "iconv -f utf-8 {}", "comm {} notes.txt"]  # fmt: skip

OUTSIDE = ["../secret/token.txt", "./../secret/token.txt", "src/../../secret/token.txt", "/home/dev/secret/token.txt", "~/secret/token.txt", "~+/../secret/token.txt", "$HOME/secret/token.txt", "\"$HOME\"/secret/token.txt", "${HOME}/secret/token.txt", "$PWD/../secret/token.txt",
           "\"$PWD/../secret/token.txt\"", "link-out/token.txt", "./link-out/token.txt", "src/../link-out/token.txt", "../s*/token.txt", "../secret/*", "../?ecret/token.txt", "../[s]ecret/token.txt", "../{secret,x}/token.txt",
           "..//secret//token.txt", "'../secret/token.txt'", "\"../secret/token.txt\"", "..\\/secret/token.txt", "$'../secret/token.txt'", "$'\\x2e./secret/token.txt'", "''../secret/token.txt", ".''./secret/token.txt", "/proc/self/cwd/../secret/token.txt", "/proc/self/root/etc/passwd",
           "/etc/passwd", "/e??/passwd", "/etc/./passwd", "../../dev/secret/token.txt", "../proj/../secret/token.txt", "link-o*/token.txt", "link-out/*", "../proj2/x.txt", "~/.ssh/id_ed25519", "~dev/secret/token.txt", "/dev/fd/0", "/proc/self/environ", "src/../../secret/*",
           "$(echo ../secret/token.txt)", "`echo ../secret/token.txt`", "$(dirname $PWD)/secret/token.txt", "${x:-../secret/token.txt}", "../secret/token.tx?", "*/../../secret/token.txt", "src/.././../secret/token.txt", "-- ../secret/token.txt"]  # fmt: skip

MOVES = ["cd .. && cat secret/token.txt", "cd ..; cat secret/token.txt", "cd ../secret; cat token.txt", "cd ../secret && ls", "cd link-out && ls", "cd src/../.. && ls", "cd; ls", "cd ~; ls", "cd ~/secret; ls", "cd -; ls", "cd $HOME && ls", "cd \"$HOME\"/secret; ls", "cd /; ls",
         "(cd ..; cat secret/token.txt)", "(cd ../secret && ls)", "cd src; cd ../..; ls", "cd src && cd ../.. && ls", "pushd ../secret; ls", "pushd .. >/dev/null && cat secret/token.txt", "CDPATH=.. cd secret; ls", "cd src/..; cd ..; ls", "cd 'src'; cd ..; cd ..; ls",
         "cd ..&&cat secret/token.txt", "cd -P ..; ls", "cd -L .. ; ls", "{ cd ..; ls; }", "if cd ..; then ls; fi", "while cd ..; do ls; break; done", "for d in ..; do cd $d; ls; done", "d=..; cd $d; ls", "d=../secret; cd \"$d\" && ls", "cd \"$(dirname \"$PWD\")\"; ls",
         "cd $(echo ..); ls", "cd src || cd ..; ls ../secret", "cd sub; cat ../../secret/token.txt", "cd sub && cat ../link-out/token.txt", "for i in 1 2; do cd ..; done; ls", "for i in 1; do cd sub; break; cd ..; done; cat ../secret/token.txt", "false || cd ..; ls",
         "cd tools/inner && git status", "cd tools/inner; git diff", "(cd tools/inner && git log -p)", "cd tools && cd inner && git status", "cd tools/inner/.git && git log", "for d in tools/inner; do cd $d; git status; done", "cd sub; cd missing; cat ../../secret/token.txt",
         "cd src; cat $OLDPWD/../secret/token.txt", "cd src; cat ~-/../secret/token.txt", "cd .; cd ./..; ls", "cd \"..\"; ls", "cd \\.\\.; ls", "cd $'..'; ls", "cd .''.; ls", "cd {..,x}; ls", "cd ?.; ls", "cd .*; ls", "builtin cd ..; ls", "command cd ..; ls"]  # fmt: skip

FRAMES = ["{}", "ls; {}", "ls && {}", "({})", "{{ {}; }}", "if true; then {}; fi", "for i in 1; do {}; done", "echo \"$({})\"", "cat notes.txt | {}", "! {}", "{} | head", "while read -r l; do {}; done < notes.txt", "ls\n{}", "cd src; cd ..; {}", "x=$({})"]  # fmt: skip


def _escaped(word: str) -> str:
    return "".join("\\" + sign if sign != "\n" else "'\n'" for sign in word)


def _ansi(word: str) -> str:
    return "$'" + "".join(f"\\x{ord(sign):02x}" if ord(sign) < 128 else sign for sign in word) + "'"


def _single(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def _double(word: str) -> str:
    return '"' + "".join("\\" + sign if sign in '"\\$`' else sign for sign in word) + '"'


def _substituted(word: str) -> str:
    return "$(echo " + _single(word) + ")"


def _in_backticks(word: str) -> str:
    return "`echo " + _single(word) + "`"


SPLITTING = (_substituted, _in_backticks)

DISGUISES: list[Callable[[str], str]] = [
    _single, _double, _escaped, _ansi, _substituted, _in_backticks,
    lambda w: "''" + _single(w), lambda w: _single(w[:1]) + _double(w[1:]), lambda w: _single(w[:2]) + _escaped(w[2:]),
    lambda w: '""' + _escaped(w[:1]) + _single(w[1:]), lambda w: _ansi(w[:1]) + _single(w[1:]), lambda w: f'"{_substituted(w)}"',
    lambda w: '"$(printf %s ' + _single(w) + ')"',
]  # fmt: skip
"""Spellings of one word that a shell reads as that word."""


def _parts(template: str) -> Iterator[tuple[bool, str]]:
    """Literal text and dangerous words, in turn."""
    for i, part in enumerate(re.split("[⟦⟧]", template)):
        yield bool(i % 2), part


def disguised(template: str) -> Iterator[str]:
    """The call with its dangerous words in every disguise."""
    has_blanks = any(is_word and re.search(r"\s", text) for is_word, text in _parts(template))
    for disguise in DISGUISES:
        if has_blanks and disguise in SPLITTING:
            continue  # the shell would make several words of it, and another call
        yield "".join(disguise(text) if is_word else text for is_word, text in _parts(template))
    words = [text for is_word, text in _parts(template) if is_word]
    assigned = "; ".join(f"x{i}={_single(word)}" for i, word in enumerate(words))
    names = iter(f'"$x{i}"' for i in range(len(words)))
    yield f"{assigned}; " + "".join(next(names) if is_word else text for is_word, text in _parts(template))


def family(name: str) -> Iterator[str]:
    """Every attack of one family of calls."""
    for template in FLAGS[name]:
        for text in disguised(template):
            yield text
            for frame in FRAMES[1:]:
                yield frame.format(text)


def outside_reads() -> Iterator[str]:
    """Every reader with every way to write a path that leads outside."""
    for reader in READERS:
        for path in OUTSIDE:
            yield reader.replace("{}", path)


def moves() -> Iterator[str]:
    """Ways to leave the working directory first."""
    for text in MOVES:
        for frame in FRAMES:
            if " | {}" in frame:
                continue  # only the first part of the text would be in the pipe, in a shell of its own
            yield frame.format(text)
