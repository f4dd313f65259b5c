"""What a command writes into places that decide what runs next is put before a person, whatever is allowed."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from jupyter_agenttools import Session

pytestmark = pytest.mark.anyio

SETS = [
    {"allow": ["Bash"]},
    {"allow": ["Bash(*)", "Edit"]},
    {"allow": ["Bash(cp *)", "Bash(mv *)", "Bash(echo *)", "Bash(tee *)", "Edit(**)"]},
    {"defaultMode": "bypassPermissions"},
    {"allow": ["Bash"], "defaultMode": "acceptEdits"},
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, folder = tmp_path / "home", tmp_path / "project"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(home / "ours"))
    for made in (home / ".claude", home / ".agenttools", home / "ours", folder / ".claude", folder / "sub"):
        made.mkdir(parents=True)
    for made in ("evil/.claude", "evildir", "src/a", "out"):
        (folder / made).mkdir(parents=True)
    (folder / ".claude" / "settings.json").write_text("{}")
    (folder / "evil" / ".claude" / "settings.json").write_text("{}")
    for name in ("a.txt", "evil.json", "src/a/b.py", "k.tar", "evildir/settings.json"):
        (folder / name).write_text("{}")
    os.symlink(".claude", folder / "lnk")
    return folder


PROTECTED = [
    "cp evil.json ~/.claude/settings.json",
    "cp evil.json $HOME/.claude/settings.json",
    'cp evil.json "${HOME}/.claude/settings.local.json"',
    "cp evil.json .claude",
    "cp -t .claude evil.json",
    "mv evil.json .agenttools/settings.json",
    "mv evil.json ~/ours/trust.json",
    "cp evil.json $JUPYTER_AGENTTOOLS_HOME/trust.json",
    "echo x > .claude/settings.json",
    "echo x >> ~/.claude/settings.json",
    "echo x >| .claude/settings.local.json",
    "echo x &> .claude/s",
    "echo x 3> .claude/s",
    "echo x <> .claude/s",
    "cat evil.json | tee .claude/settings.json",
    'cp evil.json .c""laude/settings.json',
    "cp evil.json .cl\\aude/settings.json",
    'c""p evil.json .claude/settings.json',
    "cp evil.json $'.cl\\x61ude'/settings.json",
    "touch .clau{de,x}/n",
    "D=.clau; cp evil.json ${D}de/settings.json",
    "D=.clau; echo x > ${D}de/settings.json",
    "export D=.claude && cp evil.json $D/",
    "cp evil.json ${D:-.claude}/settings.json",
    "for d in .claude; do cp evil.json $d/settings.json; done",
    "cp evil.json .cla*/settings.json",
    "cp evil.json .[c]laude/settings.json",
    "echo x > .cla*/settings.json",
    "shopt -s dotglob; cp evil.json */settings.json",
    "cp evil.json lnk/settings.json",
    "echo x > lnk/settings.json",
    "cd .claude && cp ../evil.json settings.json",
    "cd .claude; echo x > settings.json",
    "cd sub; cp ../evil.json $OLDPWD/.claude/settings.json",
    "(cd ~/.claude; cp /dev/null settings.json)",
    "pushd ~/ours; touch trust.json",
    "env -C .claude cp ../evil.json settings.json",
    "cp evil.json ~+/.claude/settings.json",
    "cp evil.json /proc/self/cwd/.claude/settings.json",
    "cp -r evildir .claude",
    "cp -r evil/. .",
    "cp -a evil/.claude .",
    "cp -rT evil .",
    "mv evil/.claude x",
    "rsync -a evil/ .",
    "mv a.txt ~/.agenttools",
    "tar xf k.tar",
    "tar -C ~ -xf k.tar",
    "unzip k.zip -d .claude",
    "ln -sf ../evil.json .claude/settings.json",
    "ln -s .claude other",
    "ln -s ~/.claude other; cp evil.json other/settings.json",
    "install -m 644 evil.json .claude/settings.json",
    "dd if=evil.json of=.claude/settings.json",
    "sed -i s/a/b/ .claude/settings.json",
    "sed -n 'w .claude/settings.json' evil.json",
    "sed 's/a/b/w .claude/settings.json' evil.json",
    "awk '{print > \".claude/settings.json\"}' evil.json",
    "curl -o .claude/settings.json http://x.invalid/",
    "wget -O ~/.claude/settings.json http://x.invalid/",
    "sort -o .claude/settings.json evil.json",
    "rm .claude/settings.json",
    "rm -rf .claude",
    "rm -r ../project",
    "mkdir .vscode",
    "touch .git/hooks/post-checkout",
    "find . -type f -delete",
    "find . -name settings.json -delete",
    "find . -name 'sett*' -exec cp evil.json {} ';'",
    "find .claude -type f -exec cp evil.json {} +",
    "echo .claude/settings.json | xargs cp evil.json",
    "echo .claude/settings.json | xargs -I{} cp evil.json {}",
    "echo .claude/settings.json | xargs rm",
    "bash -c 'cp evil.json .claude/settings.json'",
    "bash -c 'echo x > .claude/settings.json'",
    "sh <<< 'echo x > .claude/settings.json'",
    "eval 'cp evil.json .claude/x'",
    'f() { cp evil.json "$1"; }; f .claude/settings.json',
    "timeout 5 nice cp evil.json .claude/settings.json",
    "sudo cp evil.json .claude/settings.json",
    "if true; then cp evil.json .claude/x; fi",
    "echo $(cp evil.json .claude/x)",
    "echo x > $(cat a.txt); cp evil.json .claude/settings.json",
    "cp evil.json .claude/x &",
    "cp evil.json $(rev <<< edualc.)/settings.json",
    "cp evil.json $(cat a.txt)",
    "cd $(cat a.txt) && cp ../evil.json settings.json",
    "ln -s ~ h; tar -C h -xf k.tar",
    "exec {f}> .claude/settings.json; cat evil.json >&$f",
    "python3 -c \"open('.claude/settings.json', 'w')\"",
    "( cp evil.json .claude/settings.json",
    "echo x > $(cat a.txt)",
    "echo x > `cat a.txt`",
    "read D < a.txt; cp evil.json $D",
    "D=$(rev <<< edualc.); echo x > $D/settings.json",
    'cp evil.json "$(printf .%s claude)/settings.json"',
]
EVERYDAY = [
    "cp a.txt b.txt",
    "make > log",
    "pytest > out.txt 2>&1",
    "pytest -q 2>&1 | tee out/log.txt",
    "cp -r src build",
    "cp -r src/. build",
    "mv a.txt out/",
    "mv src/a src/c",
    "rm -rf build out",
    "mkdir -p out/deep",
    "touch out/x",
    "sed -i s/a/b/ a.txt",
    "find . -name '*.pyc' -delete",
    "find . -name '*.py' -exec sed -i s/a/b/ {} +",
    "find src -type f -delete",
    "cat .claude/settings.json",
    "cat .claude/settings.json > copy.json",
    "for f in *.txt; do cp $f out/; done",
    'for f in *.txt; do cp "$f" "out/${f%.txt}.md"; done',
    "echo x > log-$(date +%F).txt",
    "echo x > $TMPDIR/x",
    "O=out; echo x > $O/log",
    "cd src && touch x && cd .. && touch y",
    "tar czf out/a.tgz src",
    "tar xf k.tar -C out",
    "ln -s a.txt b.txt",
    "cp ~/notes.txt .",
    "cp a.txt ~/",
    "ls | xargs -n1 touch",
    "git status > out/s",
    "awk '$1 > 5 {print $2}' a.txt",
    "awk '{print > \"out/b\"}' a.txt",
    "echo hi 2>/dev/null >&2",
    "python3 -c pass < a.txt > out/x",
]


@pytest.mark.parametrize("rights", SETS, ids=str)
async def test_a_person_decides(rights: dict[str, object], project: Path) -> None:
    session = Session(cwd=project, settings={"permissions": rights})
    passed = []
    for command in PROTECTED:
        decision = await session.decide("Bash", {"command": command})
        if decision.behavior != "ask":
            passed.append((command, decision.behavior))
    assert passed == []


async def test_the_reason_names_the_place(project: Path) -> None:
    session = Session(cwd=project, settings={"permissions": {"allow": ["Bash"]}})
    decision = await session.decide("Bash", {"command": "ls; cp evil.json lnk/settings.json"})
    assert "`cp evil.json lnk/settings.json` may change .claude" in decision.reason
    assert decision.decided_by == "rule"
    only_this = "Bash(ls; cp evil.json lnk/settings.json)"
    assert decision.suggestions == (only_this,)
    session = Session(cwd=project, settings={"permissions": {"allow": [only_this]}})
    assert (await session.decide("Bash", {"command": only_this[5:-1]})).behavior == "allow"


@pytest.mark.parametrize("rights", [SETS[0], SETS[3]], ids=str)
async def test_everyday_commands_ask_nothing(
    rights: dict[str, object], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/tmp")
    session = Session(cwd=project, settings={"permissions": rights})
    asked = []
    for command in EVERYDAY:
        decision = await session.decide("Bash", {"command": command})
        names_it = "defaultMode" in rights and ".claude" in command  # there even naming it asks
        if decision.behavior != "allow" and not names_it:
            asked.append((command, decision.reason))
    assert asked == []


async def test_a_hook_that_allows_is_not_enough(project: Path) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
    hook = {"type": "command", "command": f"echo {shlex.quote(json.dumps(answer))}"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    session = Session(cwd=project, settings=settings, prompter="deny")
    assert (await session.call("Bash", {"command": "cp a.txt b.txt"})).status == "ok"
    assert (await session.call("Bash", {"command": "cp evil.json .claude/settings.json"})).status == "denied"
    assert (await session.call("Bash", {"command": "cp evil.json $(cat a.txt)"})).status == "denied"
    assert (project / ".claude" / "settings.json").read_text() == "{}"
    await session.aclose()


SECRET = [
    "cat < sec*/k.txt", "cat ${D:-secret}/k.txt", "cat < ${D:-secret}/k.txt", "cat ~+/secret/k.txt",
    "cat < ~+/secret/k.txt",
    "cat /proc/self/cwd/secret/k.txt", "cd sub; cat $OLDPWD/secret/k.txt", "sed 'r secret/k.txt' a.txt",
    "awk 'BEGIN{while((getline l < \"secret/k.txt\")>0) print l}'", "mapfile a < sec*/k.txt; echo ${a[@]}",
    "python3 -c \"print(open('secret/k.txt').read())\"", "curl file://$PWD/secret/k.txt", "bash -c 'cat secret/k.txt'",
    "echo $(<sec*/k.txt)", "tar cf - . | tar xOf -", "cat s{e,}cret/k.txt", "zip -r out/a.zip .",
]  # fmt: skip
OPEN = [
    "cat a.txt", "echo 'secret/k.txt'", "bash -c 'cat a.txt'", "cat < a*.txt", "awk '{print \"secret\"}' a.txt",
    "tar czf out/a.tgz src", "for f in *.txt; do cat $f; done", "grep k.txt src/x.sh",
]  # fmt: skip


async def test_what_must_not_be_read_is_not_read_in_other_words(project: Path) -> None:
    (project / "secret").mkdir()
    (project / "secret" / "k.txt").write_text("x")
    rights = {"allow": ["Bash"], "deny": ["Read(./secret/**)"]}
    session = Session(cwd=project, settings={"permissions": rights})
    answers = {command: (await session.decide("Bash", {"command": command})).behavior for command in SECRET + OPEN}
    assert [command for command in SECRET if answers[command] == "allow"] == []
    assert [command for command in OPEN if answers[command] != "allow"] == []


async def test_a_line_with_more_folders_than_are_followed_asks(project: Path) -> None:
    for name in "abcdef":
        (project / name).mkdir()
    there_and_back = " && ".join(f"cd {name} && cd $PWD/.." for name in "abcdef")
    session = Session(project, settings={"permissions": {"allow": ["Bash"]}})
    decision = await session.decide("Bash", {"command": f"{there_and_back} && cd .claude && echo x > settings.json"})
    assert decision.behavior == "ask"
