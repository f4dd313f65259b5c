"""Loading, unloading, definitions in cells, what is shown and what is completed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel.notebooks import TOOLS, Notebook, notebook, record
from tests.support.kernels import KernelSession
from tests.support.widget_front_end import WidgetFrontEnd

pytestmark = pytest.mark.kernel

SNAPSHOT = """
import sys, threading, signal
def snapshot():
    ip = get_ipython()
    return dict(
        cleanup=len(ip.input_transformers_cleanup), post=len(ip.input_transformers_post),
        tokens=len(ip.input_transformer_manager.token_transformers),
        magics=sorted(set(ip.magics_manager.magics["line"]) & {"tool", "agent"}),
        events=sorted((k, len(v)) for k, v in ip.events.callbacks.items()),
        displayers=len(ip.display_formatter.ipython_display_formatter.type_printers)
            + len(ip.display_formatter.ipython_display_formatter.deferred_printers),
        mime=len(ip.display_formatter.mimebundle_formatter.type_printers)
            + len(ip.display_formatter.mimebundle_formatter.deferred_printers),
        matchers=len(ip.Completer.custom_matchers),
        names=sorted(n for n in ip.user_ns if "agenttools" in n),
        finders=len(sys.meta_path),
        threads=sorted(t.name for t in threading.enumerate() if "agenttools" in t.name),
        sigint=signal.getsignal(signal.SIGINT),
        comm=ip.kernel.shell_handlers["comm_msg"],
    )
before = snapshot()
"""


@pytest.fixture(scope="module")
def book() -> Iterator[Notebook]:
    with notebook() as book:
        yield book


def complete(kernel: KernelSession, line: str, cursor: int | None = None) -> list[str]:
    content = {"code": line, "cursor_pos": len(line) if cursor is None else cursor}
    return kernel.request("shell", "complete_request", content)["matches"]


def whole(kernel: KernelSession, line: str) -> set[str]:
    """The last words of the line as each completion makes them; a front end replaces from the answer's start on."""
    answer = kernel.request("shell", "complete_request", {"code": line, "cursor_pos": len(line)})
    return {(line[: answer["cursor_start"]] + match).split()[-1] for match in answer["matches"]}


def test_unloading_takes_everything_back() -> None:
    with KernelSession() as kernel:
        page = WidgetFrontEnd(kernel)
        kernel.run(
            "def tool(line): return 'mine'\nget_ipython().register_magic_function(tool, 'line', 'tool')\ndel tool"
        )
        kernel.run(SNAPSHOT)
        kernel.run("%load_ext jupyter_agenttools")
        kernel.run(TOOLS)
        cell = kernel.start("%tool note hello", allow_stdin=True)
        page.click("Allow once")
        assert cell.wait().status == "ok"
        kernel.run("waiting = get_ipython().user_ns['__agenttools__']")
        assert kernel.run("%unload_ext jupyter_agenttools").status == "ok"
        assert kernel.run("print(snapshot() == before or (before, snapshot()))").text == "True\n"
        assert kernel.run("%tool x").text == "'mine'"
        assert (
            kernel.run("from jupyter_agenttools.core import definitions\nprint(definitions._listeners)").text == "[]\n"
        )
        again = kernel.run("%load_ext jupyter_agenttools\n%unload_ext jupyter_agenttools\n%load_ext jupyter_agenttools")
        assert again.status == "ok"
        assert kernel.run(TOOLS).status == "ok" and "<b>" in kernel.run("%tool peek b").text


def test_a_call_that_runs_while_the_extension_is_unloaded_is_stopped() -> None:
    with notebook() as book:
        book.run("import asyncio\nfrom jupyter_agenttools.notebook import get_session")
        book.run("session = get_session()\ntask = asyncio.create_task(session.call('peek', {'text': 'x'}))")
        book.run(
            "@tool(is_read_only=True)\nasync def forever(text: str) -> str:\n"
            "    '''Never ends.'''\n    import anyio\n    begun.append(1)\n    await anyio.sleep(1000)\n"
        )
        book.run(
            "begun = []\ntask = asyncio.create_task(session.call('forever', {'text': 'x'}))\n"
            "while not begun: await asyncio.sleep(0.01)"
        )
        assert book.run("%unload_ext jupyter_agenttools").status == "ok"
        assert book.value("session.outcomes[-1].status") == "interrupted"


@pytest.mark.parametrize("cleared", ["%reset -f", "%reset_selective -f .*"])
def test_whoever_clears_the_namespace_keeps_the_extension(cleared: str) -> None:
    with KernelSession() as kernel:
        kernel.run("%load_ext jupyter_agenttools")
        assert kernel.run(cleared).status == "ok"
        for cell in ("%tool Glob pattern=*", "x = %tool Glob pattern=*\nprint(x.status)"):
            assert kernel.run(cell).status == "ok"


def test_loading_is_light() -> None:
    with KernelSession() as kernel:
        kernel.run("import sys\nbefore = set(sys.modules)")
        kernel.run("%load_ext jupyter_agenttools")
        loaded = kernel.run("print('\\n'.join(set(sys.modules) - before))").text.split()
        assert not {
            m for m in loaded if m.startswith(("ipywidgets", "nbformat", "pydantic", "jupyter_agenttools.core"))
        }


def test_a_tool_can_be_used_at_once_and_is_replaced(book: Notebook) -> None:
    source = (
        "@tool(is_read_only=True)\nasync def greet(name: str) -> str:\n    '''Greets.'''\n    return f'{} {{name}}'"
    )
    cells = [f"{source.format(word)}\nx = %tool greet you\nprint(x.text)" for word in ("hello", "welcome")]
    assert [book.run(cell).outputs[-1]["text"] for cell in cells] == ["hello you\n", "welcome you\n"]
    assert book.value("[t.name for t in get_ipython().run_line_magic('agent', 'session').tools].count('greet')") == "1"


def test_a_hook_can_be_used_at_once(book: Notebook) -> None:
    book.run("from jupyter_agenttools import hook")
    source = "@hook('PreToolUse', matcher='peek')\nasync def no(event):\n    return {}\n"
    deny = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}'
    assert book.run(source.format(deny)).status == "ok"
    assert "denied" in record(book.run("x = %tool peek a"))
    assert book.run(source.format("None")).status == "ok"
    assert "✓ ok" in record(book.run("x = %tool peek a"))


def test_a_definition_that_cannot_be_used_is_told(book: Notebook) -> None:
    failed = book.run("@tool\nasync def Bash(command: str) -> str:\n    '''x'''\n    return ''")
    assert "a built-in tool is named 'Bash'" in failed.error
    assert book.run("x = %tool peek a").status == "ok"


def test_what_is_shown_and_what_is_kept(book: Notebook) -> None:
    shown = book.run("%tool peek a")
    assert [o["output_type"] for o in shown.outputs] == ["display_data"], "once, not twice"
    assert book.value(f"Out[{shown.execution_count}].output, _.status") == "<a> ok"
    again = book.run("_")
    assert [o["output_type"] for o in again.outputs] == ["execute_result"]
    assert "text/html" in again.outputs[0]["data"]
    kept = book.run("x = %tool peek b\nx")
    assert [o["output_type"] for o in kept.outputs] == ["display_data", "execute_result"]
    several = book.run("%tool peek 1\n%tool peek 2\nfor n in 'ab':\n    %tool peek $n {n}\n")
    assert [o["output_type"] for o in several.outputs] == ["display_data"] * 4
    assert "<$n {n}>" in several.text
    semicolon = book.run("%tool peek a;")
    assert "<a;>" in semicolon.text


def test_help_and_listing(book: Notebook) -> None:
    assert "peek" in book.run("%tool").text and "Only looks." in book.run("%tool").text
    for line in ("%tool peek --help", "%tool peek?", "%tool --help peek", "x = %tool peek?"):
        assert "Only looks." in book.run(line).text
    explained = book.run("d = %tool --explain note hello\nd")
    assert explained.text.count("no rule allows it") >= 1 and book.value("d.behavior") == "ask"
    assert len(explained.outputs) == 1, "shown once"
    book.run("x = %tool peek traced")
    assert "parse_input" in book.run("%tool --trace").text
    assert book.run("%tool?").status == "ok"
    assert "rules: none" in book.run("%agent permissions").text


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("%tool Nope", "no tool is named 'Nope'"),
        ("%tool pek a", "Did you mean peek?"),
        ("%tool --nope peek a", "unknown option --nope"),
        ("%tool peek txt=a", "Did you mean `text=`?"),
        ("%tool Read doc.pdf pages=1,2", "Write `%tool Read file_path=doc.pdf pages=1,2`"),
        ("from jupyter_agenttools import Session\nSession('/no/such/folder')", "there is no such folder"),
        ("%%tool --json peek\n[", "not JSON"),
        ("%agent", ""),
        ("%agent approve 12", "no open question has the id '12'"),
        ("%agent fix it", "a prompt is written in an %%agent cell"),
        ("%%agent\nfix it", "no model is set"),
        ("%%agent --script nowhere.json\nfix it", "nowhere.json"),
        ("def f():\n    %tool Nope\nf()", "no tool is named 'Nope'"),
    ],
)
def test_mistakes_are_one_line(book: Notebook, cell: str, message: str) -> None:
    ran = book.run(cell)
    if not message:
        lines = ran.outputs[0]["data"]["text/plain"].splitlines()
        assert ran.status == "ok" and any(line.startswith("  %agent approve ID ") for line in lines)
        assert any(line.startswith("  --script FILE ") for line in lines) and all(len(line) < 100 for line in lines)
        return
    assert ran.error.startswith("UsageError: ") and message in ran.error
    assert len(ran.outputs) == 1 and len(ran.outputs[0]["traceback"]) == 1


def test_text_reaches_the_tool_unchanged(book: Notebook) -> None:
    body = "a 'b' \"c\"\n\n>>> $HOME {x}\n\\n %tool\n... é\n"
    book.run(f"%%tool peek\n{body}")
    assert book.value("repr(_.tool_use.input['text'])") == repr(body.removesuffix("\n"))
    book.run("x = 5")
    for cell in (
        "y = %tool peek $HOME {x} $x",
        "def f():\n    return get_ipython().run_line_magic('tool', 'peek $HOME {x} $x')\ny = f()",
    ):
        book.run(cell)
        assert book.value("y.output") == "<$HOME {x} $x>"


def test_completion(book: Notebook) -> None:
    kernel = book.kernel
    assert {"peek", "note", "--explain"} <= set(complete(kernel, "%tool "))
    assert complete(kernel, "%tool pe") == ["peek"]
    assert complete(kernel, "x = %tool --ex") == ["--explain"]
    assert complete(kernel, "%tool Read fi") == ["file_path="]
    assert complete(kernel, "%%tool peek te\nsome body", len("%%tool peek te")) == ["text="]
    assert "approve" in complete(kernel, "%agent ")
    folder = Path(kernel.cwd)
    (folder / "seen").mkdir()
    for name in ("seen/one.txt", "seen/.hidden", "seen/with blank.txt", "second.txt"):
        (folder / name).write_text("")
    line = "%tool Read file_path="
    assert {line.split()[-1] + each for each in ("seen/", "second.txt")} == whole(kernel, line + "se")
    assert whole(kernel, f"{line}seen/") == {"file_path=seen/one.txt"}
    assert "output_mode=count" in whole(kernel, "%tool Grep pattern=x output_mode=")
    assert "--script" in complete(kernel, "%%agent --s\nbody", len("%%agent --s"))
    assert "os" in complete(kernel, "import o") and "--explain" not in complete(kernel, "print(")


def test_two_kernels_know_nothing_of_each_other(book: Notebook) -> None:
    with notebook() as other:
        cells = []
        for each in (book, other):  # one after the other: only the kernel that is waited for is read from
            cells.append(each.start("x = %tool note hello"))
            each.page.wait_button("Allow once")
        book.click("Deny")
        book.click("Send denial")
        assert cells[0].wait().status == "ok" and book.value("x.status") == "denied"
        assert cells[1].status == "running"
        other.click("Allow once")
        assert cells[1].wait().status == "ok" and other.value("x.status") == "ok"


def test_a_renderer_and_an_observer_that_fail_harm_nothing(book: Notebook) -> None:
    book.run(
        "from jupyter_agenttools import build_tool\n"
        "def broken(*_): raise ValueError('renderer')\n"
        "async def call(input, context):\n"
        "    import anyio\n"
        "    for n in range(10):\n        context.on_progress(n); await anyio.sleep(0.1)\n"
        "    return 'fine'\n"
        "class Watcher:\n    def on_stage(self, event): raise ValueError('observer')\n"
        "session = get_ipython().run_line_magic('agent', 'session')\n"
        "undo = session.observers.attach(Watcher())\n"
        "added = session.add_tool(build_tool(name='odd', call=call, input_json_schema={'type': 'object'}, "
        "render_progress=broken, render_result=broken, render_tool_use=broken, get_activity_description=broken))"
    )
    cell = book.start("x = %tool odd")
    book.click("Allow once")
    shown = lambda: any("ValueError in its own view" in str(m.message["content"]) for m in cell.messages)  # noqa: E731
    book.kernel.pump_until(shown, 20, "progress in spite of it")
    assert cell.wait().status == "ok" and "ok" in record(cell)
    assert book.value("x.output, session.observers.faults[-1].method") == "fine on_stage"
    book.run("undo(); added()")


def test_progress_is_bounded(book: Notebook) -> None:
    book.run(
        "@tool\nasync def flood(lines: int) -> str:\n    '''Says much.'''\n    return ''\n"
        "from jupyter_agenttools import build_tool\n"
        "async def flooding(input, context):\n"
        "    import anyio, time\n"
        "    until, text, n = time.monotonic() + 2, '', 0\n"
        "    while time.monotonic() < until:\n"
        "        n += 1; text += f'line {n}\\n' * 50; context.on_progress(text); await anyio.sleep(0.001)\n"
        "    return 'fine'\n"
        "session = get_ipython().run_line_magic('agent', 'session')\n"
        "added = session.add_tool(build_tool(name='flooding', call=flooding, input_json_schema={'type': 'object'}))"
    )
    cell = book.start("x = %tool flooding")
    book.click("Allow once")
    cell.wait()
    sent = [m for m in cell.messages if m.message["msg_type"] in ("comm_msg", "display_data", "update_display_data")]
    assert len(sent) < 60
    assert max(len(str(m.message["content"])) for m in sent) < 64_000
    book.run("added()")


def test_a_card_is_small(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    book.page.wait_button("Allow once")
    size = sum(len(str(m.message["content"])) for m in cell.messages if m.message["msg_type"].startswith("comm"))
    book.click("Allow once")
    cell.wait()
    assert size < 25_000
