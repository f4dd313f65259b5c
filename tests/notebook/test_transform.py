"""Rewriting magics into awaited calls."""

from __future__ import annotations

import ast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from jupyter_agenttools.notebook.transform import AwaitRewriter, OwnAssignment, OwnCommand, keep_cell, rewrite


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> InteractiveShell:
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell(config=config, ipython_dir=str(tmp_path_factory.mktemp("ipython")))
    shell.input_transformers_cleanup.insert(0, keep_cell)
    shell.input_transformer_manager.token_transformers[:0] = [OwnCommand, OwnAssignment]
    shell.rewriter = AwaitRewriter(shell)
    shell.input_transformers_post.append(shell.rewriter)
    return shell


CASES = [
    ("%tool Read a", "(await __agenttools__('tool', 'Read a', shown=True))\n"),
    ("%tool", "(await __agenttools__('tool', '', shown=True))\n"),
    ("x = %tool Read a", "x = (await __agenttools__('tool', 'Read a'))\n"),
    ("x = %tool Read a\nx", "x = (await __agenttools__('tool', 'Read a'))\nx\n"),
    ("%tool A\n%tool B", "(await __agenttools__('tool', 'A'))\n(await __agenttools__('tool', 'B', shown=True))\n"),
    ("if 1:\n    %tool Bash ünï\n", "if 1:\n    (await __agenttools__('tool', 'Bash ünï'))\n"),
    ("é = 1; ü = [é]\nx = %tool é", "é = 1; ü = [é]\nx = (await __agenttools__('tool', 'é'))\n"),
    ("await f()\n%tool A", "await f()\n(await __agenttools__('tool', 'A', shown=True))\n"),
    ("%tool Read?", "(await __agenttools__('tool', 'Read?', shown=True))\n"),
    ("%tool Bash echo what?", "(await __agenttools__('tool', 'Bash echo what?', shown=True))\n"),
    ("x = %tool Bash echo what??", "x = (await __agenttools__('tool', 'Bash echo what??'))\n"),
    ("%tool?", "get_ipython().run_line_magic('pinfo', '%tool')\n"),
    ("%%tool?", "get_ipython().run_line_magic('pinfo', '%%tool')\n"),
    ("%%tool Bash\nls\n", "(await __agenttools__('tool', 'Bash', 'ls\\n', shown=True))\n"),
    ("%%tool Bash\n>>> a\n... b\n", "(await __agenttools__('tool', 'Bash', '>>> a\\n... b\\n', shown=True))\n"),
    ("\n\n%%agent --step\nIn [1]: x\n", "(await __agenttools__('agent', '--step', 'In [1]: x\\n', shown=True))\n"),
    ("%%tool", "(await __agenttools__('tool', '', '', shown=True))\n"),
    ("%%tool\tBash\nx", "(await __agenttools__('tool', 'Bash', 'x\\n', shown=True))\n"),
    ("def f():\n    %tool A", "def f():\n    get_ipython().run_line_magic('tool', 'A')\n"),
    ("async def f():\n    %tool A", "async def f():\n    get_ipython().run_line_magic('tool', 'A')\n"),
    ("class C:\n    x = %tool A", "class C:\n    x = get_ipython().run_line_magic('tool', 'A')\n"),
    ("%time %tool A", "get_ipython().run_line_magic('time', '%tool A')\n"),
    ("s = '''\n%tool A\n'''", "s = '''\n%tool A\n'''\n"),
    ("s = '%tool A'", "s = '%tool A'\n"),
    ("%tools A", "get_ipython().run_line_magic('tools', 'A')\n"),
    ("%%toolbox A\nx", "get_ipython().run_cell_magic('toolbox', 'A', 'x\\n')\n"),
    ("a %tool", "a %tool\n"),
    ("f(%tool A", "f(%tool A\n"),
]


@pytest.mark.parametrize(("cell", "python"), CASES)
def test_what_a_cell_becomes(shell: InteractiveShell, cell: str, python: str) -> None:
    assert shell.transform_cell(cell) == python


@pytest.mark.parametrize(
    "source",
    [
        "[get_ipython().run_line_magic('tool', 'a') for _ in x]\n",
        "f = lambda: get_ipython().run_line_magic('tool', 'a')\n",
        "f'{get_ipython().run_line_magic(\"tool\", \"a\")}' + '''run_line_magic('tool'''\n",
        "get_ipython().run_line_magic('tool', name)\n",
        "get_ipython().run_line_magic('time', 'a')\n",
        "other().run_line_magic('tool', 'a')\n",
        "get_ipython().run_line_magic('tool', 'a'\n",
    ],
)
def test_what_cannot_await_is_left_alone(source: str) -> None:
    assert rewrite(source) == source


def test_while_a_cell_runs_nothing_is_rewritten(shell: InteractiveShell) -> None:
    shell.rewriter.enter()
    shell.rewriter.enter()
    shell.rewriter.leave()
    assert "await" not in shell.transform_cell("%tool A")
    shell.rewriter.leave()
    shell.rewriter.leave()
    assert "await" in shell.transform_cell("%tool A")


def test_without_autoawait_nothing_is_rewritten(shell: InteractiveShell) -> None:
    shell.autoawait = False
    try:
        assert "await" not in shell.transform_cell("%tool A")
    finally:
        shell.autoawait = True


@pytest.mark.parametrize(
    ("interactivity", "shown"),
    [("last_expr", [2]), ("last", [2]), ("all", [0, 2]), ("none", []), ("last_expr_or_assign", [2])],
)
def test_which_values_the_display_hook_is_given(interactivity: str, shown: list[int]) -> None:
    call = "get_ipython().run_line_magic('tool', 'a')"
    lines = rewrite(f"{call}\nx = {call}\n{call}\n", interactivity).splitlines()
    assert [i for i, line in enumerate(lines) if "shown=True" in line] == shown
    ends_in_assignment = rewrite(f"{call}\nx = {call}\n", interactivity)
    assert ("shown=True" in ends_in_assignment) == (interactivity in ("all", "last_expr_or_assign"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.text())
def test_any_body_comes_through(shell: InteractiveShell, body: str) -> None:
    tree = ast.parse(shell.transform_cell(f"%%tool Bash\n{body}"), mode="exec")
    call = tree.body[0].value.value  # type: ignore[attr-defined]
    received = [argument.value for argument in call.args]
    assert received == ["tool", "Bash", body if body.endswith("\n") or not body else f"{body}\n"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"])), before=st.integers(0, 3))
def test_any_line_comes_through_and_lines_keep_their_numbers(shell: InteractiveShell, text: str, before: int) -> None:
    cell = "\n".join([*["é = 1"] * before, f"x = %tool Bash {text.rstrip(chr(92))}", "y = 2"])
    python = shell.transform_cell(cell)
    call = ast.parse(python).body[before].value.value  # type: ignore[attr-defined]
    assert call.lineno == before + 1 and python.count("\n") == before + 2
    assert call.args[1].value == f"Bash {text.rstrip(chr(92))}".rstrip()


@pytest.mark.parametrize("line", ["%%agent", "%%tool Bash", "%%agent --step"])
def test_a_terminal_waits_for_the_body(shell: InteractiveShell, line: str) -> None:
    assert shell.check_complete(line)[0] == "incomplete"
    assert shell.check_complete(f"{line}\n>>> a\nb")[0] == "incomplete"
    assert shell.check_complete(f"{line}\na\n\n")[0] == "complete"
    assert shell.check_complete("%tool Read a")[0] == "complete"
