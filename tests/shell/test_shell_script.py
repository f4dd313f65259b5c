"""What a shell tells about itself at its end, and what of that the next command gets."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_agenttools.shell import EnvironmentChange, ExitState, approved_environment
from jupyter_agenttools.shell.exports import read_exports
from jupyter_agenttools.shell.script import new_nonce, read_exit_state
from tests.support.shell import Runner

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "ending",
    [
        "true",
        "exit 3",
        "set -e; false",
        "if",
        "echo 'open",
        "set -u; echo $nope",
        "trap 'echo bye' EXIT",
        "trap 'echo bye' ERR DEBUG RETURN; false",
        "exec >/dev/null 2>&1",
        "set -f; IFS=xyz; set -a",
        "set -o posix",
        "shopt -s expand_aliases\nalias printf=false pwd=false export=false\nprintf",
        "printf() { :; }; pwd() { :; }; export() { :; }",
        "f() { cd sub 2>/dev/null; exit 2; }; f",
        "kill -TERM $$; sleep 5",
        "set -x",
        "cat <<EOF\nunfinished",
    ],
)
async def test_directory_and_variables_are_told_on_every_way_out(sh: Runner, tmp_path: Path, ending: str) -> None:
    (tmp_path / "a b").mkdir()
    ran = await sh(f"cd '{tmp_path}/a b'; export AT_X=7\n{ending}")
    assert ran.exit.state is not None
    assert ran.exit.state.cwd == f"{tmp_path}/a b"
    assert ran.exit.state.exported["AT_X"] == "7"


@pytest.mark.parametrize(
    "ending", ["exec true", "kill -9 $$", "trap 'echo bye' EXIT; exit 4", "exec 199>&-", "kill -9 $PPID; sleep 9"]
)
async def test_a_shell_that_cannot_tell_tells_nothing(sh: Runner, ending: str) -> None:
    ran = await sh(f"cd /; {ending}")
    assert ran.exit.state is None


@pytest.mark.parametrize("leaving", ["sleep 60 & exit 3", "coproc cat; exit 3", "(sleep 60; true) & (true) & exit 3"])
async def test_what_is_left_running_reports_nothing(sh: Runner, leaving: str) -> None:
    for _ in range(5):  # a subshell is told to end at a moment that is not the same each time
        ran = await sh(f"export AT_X=7; {leaving}")
        assert ran.exit.status == 3
        assert ran.exit.state is not None and ran.exit.state.exported["AT_X"] == "7"


async def test_output_that_looks_like_the_report_is_not_taken_for_it(sh: Runner) -> None:
    ran = await sh("printf '0123456789abcdef0123456789abcdef\\0/etc\\n\\0' >&199; cd /usr; exit 1")
    assert ran.exit.state is None, "a report that does not begin with the nonce is none"


async def test_a_link_is_kept_by_its_name(sh: Runner, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    ran = await sh("pwd; cd .; echo $PWD", cwd=tmp_path / "link", env={"PWD": str(tmp_path / "link")})
    assert ran.out == f"{tmp_path}/link\n" * 2
    assert ran.exit.state is not None and ran.exit.state.cwd == str(tmp_path / "link")


async def test_functions_and_aliases_are_named(sh: Runner) -> None:
    ran = await sh("f() { echo \"declare -f no\"; }; g-h() { :; }; alias ll='ls\nalias -l'")
    assert ran.exit.state is not None
    assert sorted(ran.exit.state.passing) == ["f", "g-h", "ll"]


VALUES = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=20) | st.binary(
    max_size=12
).map(lambda data: os.fsdecode(data.replace(b"\0", b"")))


@settings(max_examples=60, deadline=None)
@given(values=st.lists(VALUES, max_size=8), posix=st.booleans())
def test_what_bash_prints_reads_back_as_what_was_exported(values: list[str], posix: bool) -> None:
    env = {f"V{number}": value for number, value in enumerate(values)}
    mode = "set -o posix; " if posix else ""
    command = mode + "declare -ax ARRAY=('a b)' [4]=\"$V0\"); declare -x UNSET; declare -rx RO=1; export -p"
    printed = subprocess.run(["bash", "--norc", "-c", command], env=env, capture_output=True, check=True).stdout
    read = read_exports(printed)
    assert {name: value for name, value in read.items() if name.startswith("V")} == env
    assert read["RO"] == "1"
    assert not {"ARRAY", "UNSET"} & read.keys()


def exported(variables: Mapping[str, str]) -> bytes:
    """Variables as a shell prints them."""
    return "".join(f'declare -x {name}="{value}"\n' for name, value in variables.items() if "." not in name).encode()


def test_a_change_is_what_differs_without_what_belongs_to_the_shell() -> None:
    before = {"KEPT": "1", "CHANGED": "1", "GONE": "1", "not.a.name": "1", "SHLVL": "1", "PWD": "/a"}
    after = {"KEPT": "1", "CHANGED": "2", "NEW": "", "SHLVL": "2", "PWD": "/b", "_": "x", "OLDPWD": "/a"}
    change = ExitState("/b", exported(after)).change_since(before)
    assert change == EnvironmentChange({"CHANGED": "2", "NEW": "", "OLDPWD": "/a"}, frozenset({"GONE"}))
    assert not ExitState("/a", exported(before)).change_since(before)


async def test_a_command_without_effect_changes_nothing(sh: Runner) -> None:
    extra = {"AT.DOTTED": "kept", "UID": "77"}
    ran = await sh("true", env=extra)
    assert ran.exit.state is not None
    change = ran.exit.state.change_since({**approved_environment(os.environ, {}, {}, ()), **extra})
    assert not change


def test_only_a_whole_report_counts() -> None:
    nonce = new_nonce()
    mark = f"{nonce}\0"
    whole = f'{mark}/a\n\n\0{mark}declare -x A="1"\n{mark}declare -f f\n{mark}'
    assert read_exit_state(whole.encode(), nonce) == ExitState("/a\n", b'declare -x A="1"\n', ("f",))
    for cut in range(len(whole)):
        assert read_exit_state(whole[:cut].encode(), nonce) is None
    assert read_exit_state(b"x" + whole.encode(), nonce) is None
    assert read_exit_state(whole.encode(), new_nonce()) is None
