"""``%%agent`` and ``%agent`` in a real kernel: options of a turn, and what can be said about the conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.notebooks import Notebook, notebook, record

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    home = tmp_path_factory.mktemp("home")
    with notebook(env={"JUPYTER_AGENTTOOLS_HOME": str(home), "HOME": str(home)}) as book:
        book.run("s = get_ipython().run_line_magic('agent', 'session')")
        yield book


def turn(book: Notebook, options: str, *turns: Any) -> str:
    """Run a turn whose answers are given, and return its record."""
    cell = book.run(f"%%agent {options} --script -\n{json.dumps(list(turns))}")
    assert cell.status == "ok", cell
    return record(cell)


def said(book: Notebook, command: str) -> str:
    cell = book.run(f"%agent {command}")
    assert cell.status == "ok", cell
    return "\n".join(o["data"]["text/plain"] for o in cell.outputs if "data" in o)


def mistake(book: Notebook, code: str, lines: int = 1) -> str:
    """What a person is told of a mistake: no traceback, and one line unless choices are listed."""
    cell = book.run(code)
    assert cell.status == "error", cell
    told = [o for o in cell.outputs if o["output_type"] == "error"]
    assert len(told) == 1 and len(told[0]["traceback"]) == 1 and told[0]["evalue"].count("\n") < lines, told
    return told[0]["evalue"]


PEEK = {"tool_uses": [{"name": "peek", "input": {"text": "a"}}]}
WAIT = {"tool_uses": [{"name": "wait", "input": {"seconds": 30}}]}


def test_a_mode_counts_for_its_turn_alone(book: Notebook) -> None:
    assert "⊘ denied" in turn(
        book, "--mode dontAsk", {"tool_uses": [{"name": "note", "input": {"text": "a"}}]}, "Done."
    )
    assert book.value("s.state.permission.mode") == "default"


def test_a_mode_is_put_back_after_an_interrupt_and_the_conversation_goes_on(book: Notebook) -> None:
    before = int(book.value("len(s.messages)"))
    cell = book.start(f"%%agent --mode acceptEdits --script -\n{json.dumps([WAIT, 'never'])}")
    book.page.wait_button("Allow once")
    book.kernel.interrupt()
    assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
    assert "■ interrupted" in record(cell)
    assert book.value("s.state.permission.mode") == "default" and not book.page.models
    assert "Again." in turn(book, "", "Again.")
    assert int(book.value("len(s.messages)")) == before + 5, "prompt, call, result; prompt, answer"


def test_an_answer_that_is_interrupted_while_it_streams_is_kept_as_far_as_it_came(book: Notebook) -> None:
    before = int(book.value("len(s.messages)"))
    long = {"text": "One two three. " * 400, "delay_ms": 20}
    cell = book.start(f"%%agent --script - Count.\n{json.dumps([long])}")
    book.kernel.pump_until(lambda: "One two three. One" in book.page.text(), 20, "the text")
    book.page.wait_button("Stop")
    book.kernel.interrupt()
    assert cell.wait(20).error == "KeyboardInterrupt: interrupted"
    text = record(cell)
    assert "■ interrupted" in text and "One two three." in text and text.count("three") < 400
    assert "Later." in turn(book, "", "Later.")
    assert int(book.value("len(s.messages)")) == before + 4
    assert book.value("[m.role for m in s.messages[-4:]]") == "['user', 'assistant', 'user', 'assistant']"


def test_the_stop_button_ends_a_turn_without_an_error(book: Notebook) -> None:
    long = {"text": "One two three. " * 400, "delay_ms": 20}
    cell = book.start(f"%%agent --script - Count.\n{json.dumps([long])}")
    book.click("Stop")
    assert cell.wait(20).status == "ok" and "stopped with the Stop button" in record(cell)


def test_only_the_named_tools_are_offered(book: Notebook) -> None:
    code = "from jupyter_agenttools import ScriptedModel\nseen = []\nclass Spy(ScriptedModel):\n"
    code += " async def stream(self, request):\n  seen.append([t.name for t in request.tools])\n"
    code += "  async for part in super().stream(request): yield part\ns.model = Spy(['One.', 'Two.'])"
    assert book.run(code).status == "ok"
    assert book.run("%%agent --tools peek,Read\ngo").status == "ok"
    assert book.value("sorted(seen[-1])") == "['Read', 'peek']"
    assert book.run("%%agent\ngo").status == "ok"
    assert int(book.value("len(seen[-1])")) > 5
    told = mistake(book, "%%agent --tools peek,Nope\ngo")
    assert "'Nope' is none. Tools: " in told and "Read" in told and book.value("len(seen)") == "2"
    book.run("s.model = None")


def test_variables_stand_in_the_prompt_only_when_asked(book: Notebook) -> None:
    book.run("where = 'src {x}'")
    for option, prompt in (("--expand", "look at src {x} and {y: 1}"), ("", "look at {where} and {y: 1}")):
        book.run(f'%%agent {option} --script - look at {{where}} and {{y: 1}}\n["Done."]')
        assert book.value("s.messages[-2].text") == prompt
    assert "there is no variable 'nowhere'" in mistake(book, '%%agent --expand --script - {nowhere}\n["Done."]')


def test_a_recorded_conversation_is_replayed_without_its_model(book: Notebook) -> None:
    book.run("%agent reset")
    first = turn(book, "--record talk.jsonl", PEEK, "All **done**.")
    second = turn(book, "--record talk.jsonl", "And **more**.")
    for _ in range(2):
        book.run("%agent reset")
        assert "<a>" in record(book.run("%%agent --replay talk.jsonl\nGo on.")) and "All **done**." in first
        assert "And **more**." in record(book.run("%%agent --replay talk.jsonl\nGo on.")) and "more" in second
    other = record(book.run("%%agent --replay talk.jsonl\nSomething that was never asked."))
    assert "✗ error" in other, "a replay that does not fit is shown, not hidden"
    assert "nowhere.jsonl" in mistake(book, "%%agent --replay nowhere.jsonl\ngo")
    Path(book.kernel.cwd, "notes.txt").write_text("mine")
    assert "notes.txt" in mistake(book, '%%agent --record notes.txt --script -\n["x"]')


def test_the_totals_and_the_cost_of_each_model(book: Notebook) -> None:
    usage = {"input_tokens": 1_200, "output_tokens": 34}
    text = turn(book, "", {"text": "Counted.", "usage": usage})
    assert re.search(r"Counted\.\n\n1 turn · 0 calls · 1,200 tokens in, 34 out · free · [\d.]+ m?s$", text)
    cost = said(book, "cost")
    assert "scripted" in cost and "1,200" in cost and "34" in cost


def test_resetting_and_going_back(book: Notebook) -> None:
    turn(book, "--name first", "The needle is here.")
    name, count = book.value("s.name"), int(book.value("len(s.messages)"))
    book.run("%agent permissions deny Bash(rm *)")
    told = said(book, "reset")
    (back,) = re.findall(r"%agent resume ([0-9a-f]+)", told)
    assert book.value("len(s.messages), s.name, bool(s.outcomes)") == "0  False" and name == "first"
    assert "Bash(rm *)" in said(book, "permissions"), "rights stay"
    turn(book, "", "Something else.")
    assert "first" in said(book, "sessions") and back[:12] in said(book, "sessions needle")
    assert f"for example: %agent resume {back[:12]}" in said(book, "sessions needle")
    for command in ("sessions", "resume"):
        assert re.search(r"%agent resume ID goes on .*: %agent resume [0-9a-f]{12}$", said(book, command))
    told = said(book, f"resume {back}")
    assert "(first)" in told and "the conversation before is kept" in told
    assert int(book.value("len(s.messages)")) == count and book.value("s.name") == "first"
    turn(book, "", "On and on.")
    assert int(book.value("len(s.messages)")) == count + 2
    assert book.value("s.messages[-1].text") == "On and on."
    assert "no session has an id" in mistake(book, "%agent resume nonsense", lines=20)
    assert "On and on." in Path(book.value("s.transcript.path")).read_text(), "the old transcript goes on"


def test_a_cell_that_names_its_conversation_takes_it_up_once(book: Notebook) -> None:
    id = book.value("s.id")
    book.run("%agent reset")
    turn(book, f"--resume {id}", "Taken up.")
    count = int(book.value("len(s.messages)"))
    assert book.value("s.id") == id and count > 2
    turn(book, f"--resume {id}", "Once more.")
    assert int(book.value("len(s.messages)")) == count + 2
    turn(book, "--continue", "Goes on anyway.")
    assert book.value("s.id") == id and int(book.value("len(s.messages)")) == count + 4


def test_the_conversation_is_shown_searched_and_written(book: Notebook) -> None:
    turn(book, "", PEEK, "The <answer> is 42.")
    shown = said(book, "transcript")
    assert "The <answer> is 42." in shown and "peek" in shown and "transcript.jsonl" in shown
    found = said(book, "transcript search ANSWER")
    assert "The <answer> is 42." in found and "peek" not in found
    assert "0 places" in said(book, "transcript search unheard-of")
    for form, mark in (("html", "<html"), ("md", "42")):
        assert f"talk.{form}" in said(book, f"export talk.{form}")
        written = Path(book.kernel.cwd, f"talk.{form}").read_text()
        assert mark in written and "42" in written
    Path(book.kernel.cwd, "data.csv").write_text("precious")
    assert "no earlier export" in mistake(book, "%agent export html data.csv")
    assert Path(book.kernel.cwd, "data.csv").read_text() == "precious"
    assert "data.csv" in said(book, "export html data.csv --force")
    assert "cannot be written" in mistake(book, "%agent export html no/such/folder/talk.html")


def test_who_answers_is_shown_and_changed(book: Notebook) -> None:
    Path(book.kernel.cwd, "turns.json").write_text('["From the file."]')
    assert "scripted, from the next turn on" in said(book, "model script:turns.json")
    assert "From the file." in record(book.run("%%agent\ngo"))
    listed = said(book, "model")
    assert listed.startswith("Model  [scripted]") and "replay:" in listed and "_API_KEY" in listed
    assert "there is no model" in mistake(book, "%agent model nobody:x")
    assert "there is no model" in mistake(book, "%%agent --model nobody:x\ngo")
    book.run("s.model = None")
    assert "no model is set" in mistake(book, "%%agent\ngo")
    book.run("import os; os.environ['JUPYTER_AGENTTOOLS_MODEL'] = 'script:turns.json'")
    assert "From the file." in record(book.run("%%agent\ngo once more")), "the model of the environment"
    book.run("del os.environ['JUPYTER_AGENTTOOLS_MODEL']; s.model = None")


def test_the_tools_with_what_the_model_reads_of_them(book: Notebook) -> None:
    book.run("%agent permissions deny Write")
    told = said(book, "tools")
    assert re.search(r"Read +yes +\d+ +\d+", told) and re.search(r"Write +no: a rule denies it", told)
    assert "peek" in told and "tokens in every request" in told
    book.run("%agent permissions remove Write")


def test_status_stop_and_say_without_anything_that_runs(book: Notebook) -> None:
    status = said(book, "status")
    assert "mode: default" in status and "model: none is set" in status and "messages" in status
    assert "no turn runs" in said(book, "stop")
    assert "no turn is running" in mistake(book, "%agent say hello")


def test_help_in_every_way(book: Notebook) -> None:
    for code in ("%agent", "%agent --help", "%%agent --help"):
        text = book.run(code).outputs[0]["data"]["text/plain"]
        assert "--background" in text and "%agent compact" in text, code
    asked = book.kernel.run("print(get_ipython().inspector.info(get_ipython().find_line_magic('agent'))['docstring'])")
    assert "--expand" in asked.text and "%agent transcript" in asked.text, "what %agent? shows"


def test_the_end_of_a_record_stands_without_a_kernel(book: Notebook) -> None:
    cell = book.run(
        f"%%agent --script -\n{json.dumps([{'thinking': 'Let me think.', 'text': 'A', **PEEK}, PEEK, 'Z'])}"
    )
    (data,) = [o["data"] for o in cell.outputs]
    assert {"text/html", "text/markdown", "text/plain"} < data.keys() and len(json.dumps(data)) < 30_000
    assert "<script" not in data["text/html"] and "thought · 3 words" in data["text/html"]


def test_with_another_kernel_the_last_conversation_of_the_folder_goes_on(tmp_path: Path) -> None:
    env = {"JUPYTER_AGENTTOOLS_HOME": str(tmp_path), "HOME": str(tmp_path)}
    work = tmp_path / "work"
    work.mkdir()
    with notebook(env=env, cwd=work) as first:
        turn(first, "", "From the first kernel.")
        first.run("%tool peek not a conversation")
    with notebook(env=env, cwd=work) as second:
        second.run("%tool peek nothing yet")
        cell = second.run('%%agent --continue --script -\n["And the second."]')
        assert "And the second." in record(cell) and "goes on with the conversation" in str(cell.outputs)
        second.run("s = get_ipython().run_line_magic('agent', 'session')")
        assert "From the first kernel." in second.value("[m.text for m in s.messages]")
    other = tmp_path / "other"
    other.mkdir()
    with notebook(env=env, cwd=other) as third:
        cell = third.run('%%agent --continue --script -\n["On my own."]')
        assert "no earlier conversation of the folder" in str(cell.outputs) and "On my own." in record(cell)


def test_older_messages_become_a_summary(book: Notebook) -> None:
    book.run("%agent reset")
    book.run("s.model = None")
    assert "no model is set" in mistake(book, "%agent compact")
    book.run("from jupyter_agenttools import ScriptedModel\ns.model = ScriptedModel(['unused'])")
    assert "nothing to shorten" in mistake(book, "%agent compact")
    for n in range(4):
        turn(book, "", PEEK, f"Answer {n}: " + "words and more words " * 200)
    book.run("from jupyter_agenttools import ScriptedModel\ns.model = ScriptedModel(['What was **kept**: the path.'])")
    before = int(book.value("len(s.messages)"))
    told = said(book, "compact keep the paths")
    assert "became a summary" in told and "the path." in told
    assert int(book.value("len(s.messages)")) < before
    assert "Goes on." in turn(book, "", "Goes on.")
