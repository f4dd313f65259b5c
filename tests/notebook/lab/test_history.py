"""The history of sessions as a page is told of it: searched whole, told in parts, exported, gone on with."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import ScriptedModel, Session, UsageError
from jupyter_agenttools.core.blocks import Message, TextBlock
from jupyter_agenttools.core.home import HOME_VARIABLE
from jupyter_agenttools.notebook.lab.exports import export_session
from jupyter_agenttools.notebook.lab.history import EXCERPT_CHARS, EXCERPT_LINES, WINDOW_CHARS, told
from jupyter_agenttools.notebook.lab.reports import report
from jupyter_agenttools.notebook.lab.shelf import Shelf
from jupyter_agenttools.notebook.lab.wishes import PageWishes
from jupyter_agenttools.session.entries import Entry
from jupyter_agenttools.session.marking import Words, pieces
from jupyter_agenttools.session.transcript import Transcript
from tests.support.transcripts import echo, finished

pytestmark = pytest.mark.anyio

SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


def session(folder: Path) -> Session:
    return Session(cwd=folder, prompter="deny", model=ScriptedModel([]))


def said(entry: dict[str, Any], name: str = "text") -> str:
    return "".join(entry[name])


def marks(entry: dict[str, Any]) -> list[str]:
    return [mark for name in ("who", "title", "status", "text") for mark in entry[name][1::2]]


def written(home: Path, number: int, *texts: str, name: str = "", cwd: str = "") -> Path:
    path = home / "sessions" / f"{number:032x}" / "transcript.jsonl"
    head = {"version": 2, "session_id": path.parent.name, "name": name, "cwd": cwd, "began_in": cwd, "model": "some"}
    transcript = Transcript(path, lambda: head)
    for at, text in enumerate(texts):
        transcript.on_message(Message("assistant" if at % 2 else "user", (TextBlock(text),)))
    transcript.close()
    os.utime(path, (number, number))
    return path


# ---- words


@given(st.text(), st.text(max_size=6))
def test_what_is_found_is_marked_in_the_text_that_was_searched(text: str, query: str) -> None:
    words = Words(query)
    cut = pieces(text, words.spans(text))
    assert "".join(cut) == text and len(cut) % 2 == 1
    if words and words.found_in([text]):
        assert any(cut[1::2])
    if not words:
        assert cut == [text]


def test_every_word_is_marked_where_words_overlap() -> None:
    assert pieces("xabcx ABC", Words("ab bc").spans("xabcx ABC")) == ["x", "abc", "x ", "ABC", ""]
    assert pieces("0123456789", [(2, 5), (7, 9)], 3, 8) == ["", "34", "56", "7", ""]
    assert Words("a.c (").found_in(["xa.c", "("]) and not Words("a.c").found_in(["abc"])


@given(st.text("ab\n", max_size=1_500), st.text("ab\n", max_size=1_500))
def test_an_excerpt_holds_the_first_place_and_says_what_it_leaves_out(before: str, after: str) -> None:
    text = f"{before}needle{after}"
    entry = told(Entry("1", "note", "", "", "", text), Words("needle"))
    assert said(entry) == text[entry["start"] : entry["end"]] and marks(entry) == ["needle"]
    assert len(said(entry)) <= EXCERPT_CHARS and said(entry).count("\n") < EXCERPT_LINES
    assert entry["chars"] == len(text)


# ---- one session


async def test_the_history_holds_more_calls_than_the_session_keeps_at_hand(tmp_path: Path) -> None:
    (tmp_path / "first.txt").write_text("needle")
    one = session(tmp_path)
    await one.call("Read", {"file_path": str(tmp_path / "first.txt")})
    for number in range(60):
        await one.call("Read", {"file_path": str(tmp_path / f"none{number}.txt")})
    told = report(one, "history", {"query": "NEEDLE ok"})
    assert (told["found"], told["total"]) == (1, 61) and marks(told["entries"][0]) == ["ok", "needle"]
    page = report(one, "history", {"query": "error", "limit": 50})
    assert (len(page["entries"]), page["found"]) == (50, 60)
    assert "none59" in said(page["entries"][0], "title")
    assert "first" in said(report(one, "history", {"order": "first"})["entries"][0], "title")


async def test_a_long_result_is_searched_and_shown_to_its_end(tmp_path: Path) -> None:
    lines = [f"line {number} of many" for number in range(1_900)]
    lines[5], lines[1_800] = "an early needle", "a late needle"
    (tmp_path / "long.txt").write_text("\n".join(lines))
    one, shelf = session(tmp_path), Shelf()
    await one.call("Read", {"file_path": str(tmp_path / "long.txt")})
    [entry] = report(one, "history", {"query": "needle"}, shelf)["entries"]
    assert entry["hits"] == 2 and said(entry).count("\n") == EXCERPT_LINES - 1
    assert entry["end"] - entry["start"] < EXCERPT_CHARS < entry["chars"] and marks(entry) == ["needle"]
    ask = partial(report, one, "entry", shelf=shelf)
    first = ask({"ref": entry["ref"], "query": "needle"})
    assert first["end"] == WINDOW_CHARS and marks({**first, "who": [], "title": [], "status": []}) == ["needle"]
    late = ask({"ref": entry["ref"], "query": "needle", "start": first["later"]})
    assert "a late " in said(late) and late["later"] is None
    whole, start = "", 0
    while start < entry["chars"]:
        window = ask({"ref": entry["ref"], "start": start})
        whole, start = whole + said(window), window["end"]
    assert all(line in whole for line in lines) and len(whole) == entry["chars"]
    with pytest.raises(UsageError, match="not in the transcript any more"):
        ask({"ref": "call:none"})


async def test_nothing_hides_and_nothing_secret_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"one\u202etwo {SECRET}")
    one = session(tmp_path)
    await one.call("Read", {"file_path": str(tmp_path / "a.txt")})
    [entry] = report(one, "history")["entries"]
    assert "one‹U+202E›two" in said(entry) and SECRET not in said(entry) and "[redacted]" in said(entry)
    assert report(one, "history", {"query": SECRET})["found"] == 0


async def test_a_call_tells_what_was_asked_for_and_what_came_of_it(tmp_path: Path) -> None:
    one = await finished(tmp_path, [["Look", echo("a")], "Done."], "What is it?")
    entries = report(one, "history", {"order": "first"})["entries"]
    assert [(said(each, "who"), each["kind"]) for each in entries] == [
        ("Person", "person"),
        ("Assistant", "assistant"),
        ("", "call"),
        ("Assistant", "assistant"),
    ]
    assert said(entries[2]).startswith("› ") and [said(entries[0]), said(entries[3])] == ["What is it?", "Done."]


async def test_a_session_in_which_nothing_happened_has_no_history(tmp_path: Path) -> None:
    assert report(session(tmp_path), "history") == {"entries": [], "found": 0, "total": 0, "notes": []}


# ---- sessions


def test_sessions_of_the_project_come_first_and_all_where_they_are_wanted(tmp_path: Path, own_home: Path) -> None:
    (tmp_path / "below").mkdir()
    written(own_home, 1, "Mine", cwd=str(tmp_path / "below"))
    written(own_home, 2, "Other", cwd="/somewhere")
    written(own_home, 3, "x", name="Nobody's")
    one = session(tmp_path)
    here = report(one, "sessions")
    assert [said(each, "title") for each in here["sessions"]] == ["Mine"] and here["project"] == str(tmp_path)
    all_of_them = report(one, "sessions", {"everywhere": True, "limit": 2})
    assert [said(each, "title") for each in all_of_them["sessions"]] == ["Nobody's", "Other"]
    assert all_of_them["found"] == 3
    mine = report(one, "sessions")["sessions"][0]
    assert (said(mine, "model"), said(mine, "folder")) == ("some", str(tmp_path / "below"))
    assert said(mine, "short") == mine["id"][:12]
    assert (mine["calls"], mine["current"], mine["running"], mine["first"]) == (0, False, False, None)


async def test_sessions_are_found_by_what_is_shown_of_their_transcripts(tmp_path: Path, own_home: Path) -> None:
    written(own_home, 1, "The bug", "It is a Loop", "a loop?", cwd=str(tmp_path))
    written(own_home, 2, "hello", name="Loop of March", cwd=str(tmp_path))
    written(own_home, 3, "nothing", cwd=str(tmp_path))
    (tmp_path / "a.txt").write_text("for loop in loops")
    one = session(tmp_path)
    await one.call("Read", {"file_path": str(tmp_path / "a.txt")})
    shelf = Shelf()
    page = report(one, "sessions", {"query": "LOOP"}, shelf)
    assert [(each["id"][-1:], each["count"]) for each in page["sessions"][1:]] == [("2", 0), ("1", 2)]
    own = page["sessions"][0]
    assert said(own, "title") == f"Read {tmp_path / 'a.txt'}", "with no conversation it is called by its first call"
    assert own["current"] and own["calls"] == 1 and marks(own["first"]) == ["loop", "loop"]
    assert page["sessions"][1]["title"] == ["", "Loop", " of March"]
    for each in page["sessions"]:
        opened = report(one, "history", {"session": each["id"], "query": "loop", "order": "first"}, shelf)
        assert opened["found"] == each["count"]
        assert each["first"] == (opened["entries"][0] if opened["entries"] else None)


def test_two_hundred_sessions_are_listed_and_searched_in_parts(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 201):
        written(own_home, number, f"prompt {number}", "word " * 2_000, cwd=str(tmp_path))
    one, shelf = session(tmp_path), Shelf()
    assert len(report(one, "sessions")["sessions"]) == 50
    monkeypatch.setattr("jupyter_agenttools.notebook.lab.sessions.SEARCH_BUDGET_S", 0.0)
    lefts = []
    while not lefts or lefts[-1]:
        page = report(one, "sessions", {"query": "word prompt"}, shelf)
        lefts.append(page["left"])
    assert lefts == [*range(199, -1, -1)], "each part goes on, however little time it has"
    assert page["found"] == 0  # no entry holds both words
    assert report(one, "sessions", {"query": "word"}, shelf)["left"] < 200


@pytest.mark.parametrize("id", ["../../etc", "a" * 32, "/etc/passwd", "A" * 32])
async def test_a_page_names_sessions_and_no_paths(tmp_path: Path, id: str) -> None:
    one = session(tmp_path)
    with pytest.raises(UsageError, match="not on disk any more"):
        report(one, "history", {"session": id})
    with pytest.raises(UsageError, match="not on disk any more"):
        export_session(one, {"session": id, "format": "html"})


# ---- export and resume


def test_an_export_takes_a_new_name_each_time(tmp_path: Path, own_home: Path) -> None:
    path = written(own_home, 7, "The question", cwd=str(tmp_path))
    one = session(tmp_path)
    first, second = (export_session(one, {"session": path.parent.name, "format": "markdown"}) for _ in range(2))
    assert Path(first["path"]).name == "session-000000000000.md" and first != second
    assert "The question" in Path(second["path"]).read_text() and Path(second["path"]).parent == tmp_path
    with pytest.raises(UsageError, match="html and markdown"):
        export_session(one, {"session": path.parent.name, "format": "exe"})
    with pytest.raises(UsageError, match="nothing was said"):
        export_session(one, {"format": "html"})


async def outcome(one: Session, id: str, *, cell: bool = False, turn: bool = False) -> dict[str, Any]:
    """What a page is told that wants to resume a session."""
    told: list[dict[str, Any]] = []

    def require_none(wish: str) -> None:
        if turn:
            raise UsageError(f"cannot {wish} while turn_1 runs")

    lab = SimpleNamespace(channel=SimpleNamespace(tell=told.append), tell_state=lambda: None)
    async with anyio.create_task_group() as tasks:
        runtime = SimpleNamespace(
            session=one,
            lab=lab,
            heartbeat=SimpleNamespace(is_cell_running=cell),
            background=SimpleNamespace(require_none=require_none),
            portal=SimpleNamespace(start_soon=tasks.start_soon),
        )
        wish = {"v": 1, "client": "c", "type": "command", "name": "resume", "args": {"session": id}, "id": "w"}
        PageWishes(lab, runtime).take(wish)  # type: ignore[arg-type]
    [answer] = told
    assert (answer["type"], answer["to"], answer["id"]) == ("report", "c", "w")
    return answer


async def test_a_session_is_resumed_in_place_and_the_page_is_told(tmp_path: Path) -> None:
    old = await finished(tmp_path, ["Blue."], "Which colour?")
    one = session(tmp_path)
    answer = await outcome(one, old.id)
    assert answer["ok"] and answer["data"]["lines"][0] == f"this is the conversation {old.id[:12]}, 2 messages long"
    assert one.id == old.id and report(one, "sessions")["sessions"][0]["current"]
    assert said(report(one, "history", {"order": "first"})["entries"][0]) == "Which colour?"


async def test_a_session_is_not_resumed_while_something_runs(tmp_path: Path, own_home: Path) -> None:
    id = written(own_home, 7, "The question", cwd=str(tmp_path)).parent.name
    one = session(tmp_path)
    before = one.id
    busy = await outcome(one, id, cell=True)
    assert not busy["ok"] and "a cell runs" in busy["data"]
    turn = await outcome(one, id, turn=True)
    assert not turn["ok"] and "turn_1 runs" in turn["data"]
    with one._activities.begin():
        active = await outcome(one, id)
    assert not active["ok"] and "something runs in this session" in active["data"]
    gone = await outcome(one, "b" * 32)
    assert not gone["ok"] and "not on disk" in gone["data"]
    assert one.id == before


async def test_a_session_that_another_kernel_holds_is_not_resumed(tmp_path: Path) -> None:
    other = session(tmp_path)
    await other.call("Glob", {"pattern": "*"})
    one = session(tmp_path)
    answer = await outcome(one, other.id)
    assert not answer["ok"] and "still runs" in answer["data"]
    [listed] = report(one, "sessions")["sessions"]
    assert listed["running"] and not listed["current"]
