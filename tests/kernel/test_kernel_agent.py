"""Turns, questions answered from elsewhere, and stepping."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel.notebooks import Notebook, notebook, record

pytestmark = pytest.mark.kernel

OPEN_IDS = "[p.request.tool_use_id for p in __agenttools__.__self__._loaded.runtime.prompts.all()]"


@pytest.fixture(scope="module")
def book() -> Iterator[Notebook]:
    with notebook() as book:
        yield book


def test_a_turn_streams_asks_and_leaves_one_record(book: Notebook) -> None:
    book.run(
        "from jupyter_agenttools import ScriptedModel\n"
        "get_ipython().run_line_magic('agent', 'session').model = ScriptedModel([\n"
        "  {'text': 'I will look and note. ' * 3, 'tool_uses': [{'name': 'peek', 'input': {'text': 'a'}},"
        " {'name': 'note', 'input': {'text': 'b'}}]}, 'All **done**.'], delay_s=0.05)"
    )
    cell = book.start("%%agent\nlook and note")
    book.page.wait_button("Allow once")
    assert "I will look and note." in book.page.text(), "the streamed text is there while it asks"
    book.kernel.pump_until(lambda: "peek" in book.page.text(), 10, "the call that is over already")
    book.click("Allow once")
    text = record(cell.wait())
    assert text.index("<a>") < text.index("B") < text.index("All **done**.")
    assert len(cell.outputs) == 1 and "<strong>done</strong>" in cell.outputs[0]["data"]["text/html"]
    assert book.value("_.reason, _.text") == "end_turn All **done**." and not book.page.models


def test_the_todo_list_is_live_and_then_stays(book: Notebook) -> None:
    """The list changes in its place while the turn goes on; the record keeps it as it was in the end."""

    def todos(first: str, second: str) -> dict[str, object]:
        tasks = [("Look around", first, "Looking around"), ("Take notes", second, "Taking notes")]
        return {
            "name": "TodoWrite",
            "input": {"todos": [{"content": c, "status": s, "activeForm": a} for c, s, a in tasks]},
        }

    note = {"name": "note", "input": {"text": "x"}}
    turns = [
        {"tool_uses": [todos("in_progress", "pending"), note]},
        {"tool_uses": [todos("completed", "in_progress"), note]},
        "Done.",
    ]
    cell = book.start(f"%%agent --script -\n{json.dumps(turns)}")
    book.page.wait_button("Allow once")
    book.kernel.pump_until(lambda: "Looking around</b>" in book.page.text(), 10, "the list")
    assert "Take notes" in book.page.text() and "to do" in book.page.text()
    book.click("Allow once")
    book.kernel.pump_until(lambda: "Taking notes</b>" in book.page.text(), 10, "the list as it is now")
    assert "Looking around</b>" not in book.page.text()
    book.click("Allow once")
    assert "Todos\n[x] Look around\n[>] Taking notes (in progress)\n\nDone." in record(cell.wait())
    assert "<s>Look around</s>" in cell.outputs[0]["data"]["text/html"] and not book.page.models
    assert book.run("%agent todos").outputs[0]["data"]["text/plain"].endswith("[>] Taking notes (in progress)")
    empty = '[{"tool_uses": [{"name": "TodoWrite", "input": {"todos": []}}]}, "Cleared."]'
    book.run(f"%%agent --script -\n{empty}")
    assert book.run("%agent todos").outputs[0]["data"]["text/plain"] == "Todos none"
    done = [todos("completed", "completed")]
    book.run(f"%%agent --script -\n{json.dumps([{'tool_uses': done}, 'Done.'])}")
    finished = book.run("%agent todos").outputs[0]["data"]["text/plain"]
    assert finished.startswith("Todos none: the last list is finished") and "[x] Take notes" in finished


def test_a_script_in_a_file(book: Notebook) -> None:
    Path(book.kernel.cwd, "script.json").write_text('["From a file."]')
    assert "From a file." in record(book.run("%%agent --script script.json\ngo"))


def test_an_interrupted_turn_says_so(book: Notebook) -> None:
    cell = book.start('%%agent --script -\n[{"tool_uses": [{"name": "wait", "input": {"seconds": 30}}]}, "Done."]')
    book.click("Allow once")
    book.page.wait_button("Stop")
    book.kernel.interrupt()
    assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
    assert "interrupted" in record(cell) and not book.page.models


def test_the_turn_limit(book: Notebook) -> None:
    script = '[{"tool_uses": [{"name": "peek", "input": {"text": "a"}}]}, "Done."]'
    assert "turn limit" in record(book.run(f"%%agent --max-turns 1 --script -\n{script}"))


def test_a_model_that_fails_is_told(book: Notebook) -> None:
    failing = "def broken(messages): raise RuntimeError('no connection')\n"
    book.run(f"{failing}get_ipython().run_line_magic('agent', 'session').model = ScriptedModel([broken])")
    cell = book.run("%%agent\ngo")
    assert "no connection" in record(cell) and cell.status == "ok"


def test_a_question_is_answered_from_elsewhere(book: Notebook) -> None:
    for answer, status in (("approve", "ok"), ("deny", "denied")):
        book.run(
            "import asyncio\nfrom jupyter_agenttools.notebook import get_session\n"
            "task = asyncio.create_task(get_session().call('note', {'text': 'later'}))\n"
            f"while not {OPEN_IDS}: await asyncio.sleep(0.01)"
        )
        listed = book.run("%agent status").text
        assert "open questions: 1" in listed and "note" in listed
        id = book.value(f"{OPEN_IDS}[0]")
        assert "allowed" in book.run(f"%agent {answer} {id} for now").text or answer == "deny"
        assert book.value("(await task).status") == status
        assert "open questions: none" in book.run("%agent status").text
    assert book.value("task.result().decision.reason") == "for now"


def test_an_answer_from_a_subshell_while_the_cell_runs(book: Notebook) -> None:
    cell = book.start("x = %tool note hello")
    book.page.wait_button("Allow once")
    code = f"for id in {OPEN_IDS}:\n    get_ipython().run_line_magic('agent', f'approve {{id}}')"
    content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
    book.kernel.send("shell", "execute_request", content, subshell_id=book.page.subshell_id)
    assert cell.wait(10).status == "ok" and book.value("x.status") == "ok"


def step(book: Notebook, button: str) -> None:
    """Click a button of the card that is shown, and wait until that card is gone."""
    clicked = book.page.wait_button(button)
    book.click(button)
    book.kernel.pump_until(lambda: clicked.comm_id not in book.page.models, 10, f"the end of the card with {button}")


def test_stepping_shows_each_stage_and_takes_another_input(book: Notebook) -> None:
    cell = book.start("x = %tool --step peek hello")
    seen = []
    for _ in range(3):
        book.page.wait_button("Next")
        seen.append(book.page.text())
        step(book, "Next")
    assert ["parse_input ok" in seen[0], "validate_input" in seen[1], "speculate" in seen[2]] == [True] * 3
    assert "hello" in seen[0] and "next is observe" in seen[2]
    book.click("Edit input…")
    book.fill("Use this input", "Input (JSON)", "[1]")
    book.click("Use this input")
    book.kernel.pump_until(lambda: "must be a JSON object" in book.page.text(), 10, "the complaint")
    book.page.set_value("Input (JSON)", '{"text": "other"}')
    step(book, "Use this input")
    step(book, "Run on")
    assert "<other>" in record(cell.wait()) and not book.page.models
    assert book.value("[e.stage for e in x.events].count('parse_input')") == "2"


def test_a_stepped_call_can_be_aborted(book: Notebook) -> None:
    cell = book.start("x = %tool --step peek hello")
    step(book, "Next")
    step(book, "Abort")
    assert "aborted by the person" in record(cell.wait())
    assert book.value("x.status, x.output") == "denied None"
