"""A rule that denies editing denies commands that write there, and names the part that would."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_agenttools import Session
from jupyter_agenttools.permissions.command.writes import certain_writes

pytestmark = pytest.mark.anyio


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("a")
    (tmp_path / "ok.txt").write_text("a")
    os.symlink("src", tmp_path / "link")
    return tmp_path


WRITING = [
    "echo x > src/b",
    "echo x >> ./src/b",
    "echo x >| src/b",
    "echo x &> src/b",
    "ls 2>src/b",
    "echo x > link/b",
    "cd src && echo x > b",
    "(cd src; echo x > b)",
    "f=src/b; echo x > $f",
    "if true; then echo x > src/b; fi",
    "python3 -c pass > src/b",
    "cp ok.txt src/b",
    "cp ok.txt src",
    "cp -t src ok.txt",
    "install -m 644 ok.txt src/b",
    "ln -s ok.txt src/l",
    "mv ok.txt src/b",
    "mv src/a.py .",
    "mv src elsewhere",
    "rm src/a.py",
    "rm src/*",
    "rm -rf src",
    "touch src/n",
    "tee src/b < ok.txt",
    "echo a | tee -a src/b",
    "sed -i s/a/b/ src/a.py",
    "ls; sed -i.bak -e s/a/b/ src/a.py",
    "perl -pi -e s/a/b/ src/a.py",
    "truncate -s 0 src/a.py",
    "dd if=ok.txt of=src/b",
    "sort -o src/b ok.txt",
    "timeout 5 cp ok.txt src/b",
    "sudo cp ok.txt src/b",
    "bash -c 'echo x > src/b'",
    "eval 'touch src/n'",
    "env -i X=1 rm src/a.py",
    "env -u X rm src/a.py",
    "echo x > sr*/a.py",
    "echo x > s?c/a.py",
    "echo x > ~+/src/new",
    "echo x > /proc/self/cwd/src/new",
    "echo x > ${D:-src}/new",
    "rm ${D:-src/}/a.py",
    "echo x > $(cat ok.txt); rm src/a.py",
    "touch src/n &",
    "echo a > src/b & ls",
    "ls & echo a > src/b",
    "{ cd src; rm a.py; } &",
    "if true; then rm src/a.py & fi",
    "cd src && ls & touch src/b",
    "find src -name '*.py' -exec rm {} +",
    "find -L src -type f -delete",
    "find . -exec cp ok.txt src/b ';'",
    "find ok.txt -exec cp {} src ';'",
    "find . -fprint src/list",
    "find src -execdir rm {} ';'",
    "find . src -ok sed -i s/a/b/ {} ';'",
    "xargs rm src/a.py < ok.txt",
    "ls | xargs -n 1 -P4 touch src/n",
    "ls | xargs -I% tee src/b %",
    "ls | xargs --max-args=2 cp -t src",
]
UNCERTAIN = [
    "ls | xargs -I% cp ok.txt src/%",
    "xargs cp ok.txt src/c",
    "xargs --odd 4 rm src/a.py",
    "find . -execdir rm src/a.py ';'",
    "find . -exec cp src/a.py {}.bak ';'",
    "echo x > $(cat ok.txt)",
    "D=$(cat ok.txt); echo x > $D/new",
    "rm $(ls src/a.py)",
    "sed -n 'w src/new' ok.txt",
    "awk '{print > \"src/new\"}' ok.txt",
    "echo src/a.py | xargs rm",
    "ls src/a.py | xargs rm",
    "find . -name a.py | xargs rm",
    "cat ok.txt | xargs rm",
    "find . -name a.py -exec rm {} +",
    "find . -type f -delete",
    "rm -r .",
    "mkdir sub; cd sub; echo x > $OLDPWD/src/new",
]
"""What they write is not certain, but that it lies in ``src`` is likely: a person decides."""

NOT_WRITING = ["cat src/a.py", "echo '> src/b'", "grep a src/a.py > /dev/null", "touch ok2", "echo x > ok3", "ls src",
               "find src -name '*.py'", "find ok.txt -delete", "ls | xargs touch ok5", "xargs",
               "find", "ls | xargs cat", "sleep 0 & echo x > ok6"]  # fmt: skip


@pytest.mark.parametrize("allow", [[], ["Bash"], ["Bash", "Edit"], ["Bash(echo *)", "Bash(cp *)"]], ids=str)
async def test_they_are_denied_whatever_is_allowed(allow: list[str], project: Path) -> None:
    session = Session(cwd=project, settings={"permissions": {"deny": ["Edit(src/**)"], "allow": allow}})
    for command in WRITING:
        decision = await session.decide("Bash", {"command": command})
        assert (decision.behavior, decision.rule) == ("deny", "Edit(src/**)"), command
        assert "Edit(src/**)" in decision.reason and "would change" in decision.reason and "src" in decision.reason


async def test_the_part_is_named_and_marked(project: Path) -> None:
    session = Session(cwd=project, settings={"permissions": {"deny": ["Edit(src/**)"]}})
    decision = await session.decide("Bash", {"command": "ls && cp ok.txt src/b"})
    assert "`cp ok.txt src/b` would change" in decision.reason
    assert decision.trace[0].spans == ((6, 21),)


async def test_where_it_is_not_certain_a_person_decides(project: Path) -> None:
    session = Session(cwd=project, settings={"permissions": {"deny": ["Edit(src/**)"], "allow": ["Bash"]}})
    for command in UNCERTAIN:
        decision = await session.decide("Bash", {"command": command})
        assert (decision.behavior, decision.rule) == ("ask", "Edit(src/**)"), command


async def test_others_are_not(project: Path) -> None:
    session = Session(cwd=project, settings={"permissions": {"deny": ["Edit(src/**)"], "allow": ["Bash"]}})
    for command in NOT_WRITING:
        assert (await session.decide("Bash", {"command": command})).behavior == "allow", command


async def test_a_rule_about_all_editing_denies_every_writing(project: Path) -> None:
    session = Session(cwd=project, settings={"permissions": {"deny": ["Edit"], "allow": ["Bash"]}})
    assert (await session.decide("Bash", {"command": "echo x > q"})).behavior == "deny"
    assert (await session.decide("Bash", {"command": "ls"})).behavior == "allow"


def test_of_what_cannot_be_followed_the_beginning_is_known() -> None:
    assert [w.path for w in certain_writes("echo a > x; echo b > $(cat y)", "/d")] == ["/d/x"]
    assert certain_writes("echo 'unclosed > x", "/d") == ()


def test_what_is_left_running_moves_nobody_else() -> None:
    assert [w.path for w in certain_writes("cd src & touch a", "/d")] == ["/d/a"]
    assert [w.path for w in certain_writes("ls && cd src & touch a && cd src && touch b", "/d")] == ["/d/a", "/d/src/b"]
    assert [w.path for w in certain_writes("cd src && touch a & touch b; touch c", "/d")] == [
        "/d/src/a",
        "/d/b",
        "/d/c",
    ]


@pytest.mark.parametrize("command", ["xargs", "xargs -n 1", "find src -exec", "find -exec ';'", "env", "env -i"])
def test_programs_without_the_words_they_need(command: str) -> None:
    assert certain_writes(f"{command}; rm x", "/d")[-1].path == "/d/x"
    assert len(certain_writes(f"{command}; rm x", "/d")) == 1
