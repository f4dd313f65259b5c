"""Which sessions are on disk, and which of them speak of something."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools import ScriptedModel, UsageError
from jupyter_agenttools.core.blocks import Message, TextBlock
from jupyter_agenttools.core.home import HOME_VARIABLE
from jupyter_agenttools.core.updates import UsageAdded
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.render import view_text
from jupyter_agenttools.session import fork_session, list_sessions, search_sessions, search_view, sessions_view
from jupyter_agenttools.session.transcript import Transcript
from tests.support.transcripts import ask, echo, finished, session_in

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    return tmp_path / "home"


async def test_what_is_said_of_a_session(tmp_path: Path) -> None:
    assert list_sessions().sessions == ()
    one = await finished(tmp_path, [["Look", echo("a")], "Done."], "What is\nin it?", name="first")
    two = session_in(tmp_path)
    await ask(two, "And now?")
    two.observers.emit("on_update", UsageAdded(Usage(100, 20, 3, 1)))
    new, old = list_sessions().sessions
    assert (old.id, old.name, old.prompt, old.turns, old.is_running) == (one.id, "first", "What is in it?", 1, False)
    assert (new.id, new.prompt, new.tokens, new.is_running) == (two.id, "And now?", 124, True)
    assert (old.calls, new.calls, old.folder) == (1, 0, str(tmp_path))
    assert old.created <= old.ended <= new.ended and old.model == one.model.name
    fork = fork_session(one.id, model=ScriptedModel([]))
    assert list_sessions(1).sessions[0].parent == one.id and fork.id == list_sessions(1).sessions[0].id
    assert list_sessions(1).sessions[0].name == "fork of first"
    text = view_text(sessions_view(list_sessions()))
    assert "running" in text and f"forked from {one.id[:12]}" in text and "And now?" in text


async def test_what_cannot_be_read_takes_no_other_with_it(tmp_path: Path, own_home: Path) -> None:
    one = await finished(tmp_path)
    for name, data in (("a" * 32, b"\xff\x00 no json"), ("b" * 32, b"")):
        (own_home / "sessions" / name).mkdir()
        (own_home / "sessions" / name / "transcript.jsonl").write_bytes(data)
    (own_home / "sessions" / ("c" * 32)).mkdir()
    (own_home / "sessions" / "other").mkdir()
    assert {session.id for session in list_sessions().sessions} == {one.id, "a" * 32, "b" * 32}


def with_texts(home: Path, number: int, *texts: str, name: str = "") -> None:
    path = home / "sessions" / f"{number:032x}" / "transcript.jsonl"
    transcript = Transcript(path, lambda: {"version": 2, "session_id": path.parent.name, "name": name})
    for at, text in enumerate(texts):
        transcript.on_message(Message("assistant" if at % 2 else "user", (TextBlock(text),)))
    transcript.close()
    os.utime(path, (number, number))


def test_a_search_finds_prompts_answers_and_names(own_home: Path) -> None:
    with_texts(own_home, 1, "The bug in the parser", "It is a Loop")
    with_texts(own_home, 2, "Something else", "Nothing")
    with_texts(own_home, 3, "hello", name="Loop of March")
    result = search_sessions("  lOOp ")
    assert [hit.session.id[-1] for hit in result.hits] == ["3", "1"] and result.searched == 3
    assert result.hits[1].excerpts == ("It is a Loop",)
    assert search_sessions("the\nparser").hits[0].excerpts == ("The bug in the parser",)
    assert search_sessions("tool_use_id").hits == ()
    text = view_text(search_view("loop", result))
    assert "Loop of March" in text and "It is a Loop" in text
    assert "No session of 3" in view_text(search_view("xyz", search_sessions("xyz")))
    for nothing in ("", " \n"):
        with pytest.raises(UsageError, match="what to search for"):
            search_sessions(nothing)


@given(st.text(min_size=1, max_size=40), st.text(max_size=60), st.text(max_size=60))
def test_what_is_shown_is_what_was_searched(tmp_path_factory, wanted: str, before: str, after: str) -> None:
    home = tmp_path_factory.mktemp("home")
    os.environ[HOME_VARIABLE] = str(home)
    with_texts(home, 1, before + wanted + after)
    if not wanted.strip():
        return
    for hit in search_sessions(wanted).hits:
        for excerpt in hit.excerpts:
            assert search_sessions(excerpt.strip("…").strip() or wanted).hits


def test_a_long_text_is_shown_around_the_place(own_home: Path) -> None:
    with_texts(own_home, 1, "word " * 1_000 + "NEEDLE" + " word" * 1_000)
    (hit,) = search_sessions("needle").hits
    (excerpt,) = hit.excerpts
    assert "NEEDLE" in excerpt and len(excerpt) < 200 and excerpt.startswith("…") and excerpt.endswith("…")


def test_time_is_bounded_and_what_was_left_out_is_said(own_home: Path) -> None:
    for number in range(1, 6):
        with_texts(own_home, number, "the same words")
    listing, result = list_sessions(budget_s=0), search_sessions("same", budget_s=0)
    assert len(listing.sessions) == len(result.hits) == result.searched == 1
    assert listing.left_out == result.left_out == 4 and listing.sessions[0].id.endswith("5")
    assert "no time to look into 4 older" in view_text(sessions_view(listing))
    assert len(list_sessions(2).sessions) == len(search_sessions("same", limit=2).hits) == 2
