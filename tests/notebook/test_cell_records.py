"""Records of cells: what tells two questions apart, what a seal is worth, and whose record is taken."""

from __future__ import annotations

import json
import os
import random
import string
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, ToolResultBlock, ToolUse
from jupyter_agenttools.core.names import TRACE_MIME_TYPE
from jupyter_agenttools.notebook.cell_records import (
    CellRecord,
    cut,
    fingerprint_of,
    is_sealed,
    record_of,
    with_record,
)
from jupyter_agenttools.notebook.cell_records_place import CellCounter, CellPlace
from jupyter_agenttools.notebook.cell_records_replay import made_anew
from jupyter_agenttools.notebook.cell_records_store import FOLDER, store, stored_bundles, stored_messages
from jupyter_agenttools.notebook.own_notebook import notebook_at_start, own_notebook
from jupyter_agenttools.session.adopting import messages_of

WORDS = st.text(st.characters(codec="utf-8"), max_size=30)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def a_record(**changes: Any) -> CellRecord:
    given = {"fingerprint": "f" * 64, "session": "5" * 32, "turn": "7" * 32, "at": 1_800_000_000.0}
    said = {"reason": "end_turn", "prompt": "Look.", "answer": "All **done**."}
    return CellRecord(**{**given, **said, **changes})


def a_bundle(**more: Any) -> dict[str, Any]:
    return {
        "text/html": "<p>ours</p>",
        "text/plain": "ours",
        TRACE_MIME_TYPE: {"version": 1, "calls": [], "ms": 2.0},
        **more,
    }


# ---- the text of a cell


@given(st.lists(st.sampled_from(["--rerun", "--background", "--model", "x", "say"])), WORDS)
def test_how_a_cell_is_run_is_no_part_of_what_it_asks(words: list[str], body: str) -> None:
    asked = [word for word in words if word not in ("--rerun", "--background")]
    assert fingerprint_of(" ".join(words), body) == fingerprint_of("  ".join(asked), body + "\n")


@given(WORDS, WORDS, WORDS, WORDS)
def test_other_texts_are_other_questions(line: str, body: str, other_line: str, other_body: str) -> None:
    same = (line.split(), body.rstrip()) == (other_line.split(), other_body.rstrip())
    assert (fingerprint_of(line, body) == fingerprint_of(other_line, other_body)) == same
    assert fingerprint_of(line, body, "a") != fingerprint_of(line, body, "b")


def test_a_long_text_says_how_much_is_missing() -> None:
    assert cut("abc", 3) == "abc" and cut("abcd" * 500, 4) == "abcd… [1,996 more characters are not kept here]"


# ---- in a bundle


@given(st.text(max_size=50), st.floats(0, 4e9, allow_nan=False))
def test_a_record_comes_back_from_a_file_and_keeps_its_seal(answer: str, at: float) -> None:
    record = a_record(answer=answer, at=at)
    saved = json.loads(json.dumps(with_record(a_bundle(), record)))
    saved[TRACE_MIME_TYPE]["ms"] = 2  # as a page writes 2.0
    assert record_of(saved) == record and is_sealed(saved, record)


@pytest.mark.parametrize("mime", ["text/html", "text/plain", "text/markdown", "image/svg+xml"])
def test_what_anybody_changed_has_no_seal(mime: str) -> None:
    bundle = with_record(a_bundle(), a_record())
    changed = {**bundle, mime: "<script>alert(1)</script>"}
    assert is_sealed(bundle, a_record()) and not is_sealed(changed, a_record())
    assert not is_sealed(bundle, a_record(answer="other"))


def test_a_seal_of_another_user_is_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = with_record(a_bundle(), a_record())
    assert (home / "keys/cell-records").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(home) + "-of-another")
    assert not is_sealed(bundle, a_record())


@pytest.mark.parametrize(
    "trace",
    [None, [], {"record": 1}, {"record": {}}, {"record": {"version": 1}}, {"record": {"version": 2}}],
)
def test_what_is_no_record_is_none(trace: Any) -> None:
    assert record_of({TRACE_MIME_TYPE: trace}) is None


@given(
    st.dictionaries(
        st.sampled_from(["version", "fingerprint", "session", "turn", "at", "reason"]), st.none() | st.text()
    )
)
def test_a_record_that_somebody_wrote_by_hand_never_fails(data: dict[str, Any]) -> None:
    assert record_of({TRACE_MIME_TYPE: {"record": data}}) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"reason": "interrupted"},
        {"reason": "error"},
        {"reason": "?"},
        {"at": -1.0},
        {"at": 1e300},
        {"at": float("nan")},
    ],
)
def test_what_cannot_be_shown_again_is_no_record(changes: dict[str, Any]) -> None:
    assert record_of(with_record(a_bundle(), a_record(**changes))) is None


def test_what_is_shown_of_an_unsealed_record_is_made_by_us() -> None:
    calls = [{"tool": "Read <b>", "status": "ok"}, "no call"]
    bundle = {
        **with_record(a_bundle(), a_record(answer="<img src=x onerror=alert(1)> **bold**")),
        "text/html": "<script>evil()</script>",
        "application/javascript": "evil()",
    }
    bundle[TRACE_MIME_TYPE]["calls"] = calls
    shown = made_anew(bundle, a_record(answer="<img src=x onerror=alert(1)> **bold**"))
    assert "evil" not in json.dumps(shown) and "<img" not in shown["text/html"]
    assert "<strong>bold</strong>" in shown["text/html"] and "Read" in shown["text/html"]
    assert record_of(shown) is not None, "the next run finds it again"


# ---- whose record


class Shell:
    """What a cell's place is found from: the request, and the user's names."""

    def __init__(self, notebook: Path) -> None:
        self.kernel, self.user_ns = object(), {"__vsc_ipynb_file__": str(notebook)}
        self.parent: dict[str, Any] = {}

    def get_parent(self) -> dict[str, Any]:
        return self.parent

    def running(self, code: str, cell_id: str = "") -> Shell:
        self.parent = {
            "content": {"code": code, "allow_stdin": True},
            "metadata": {"cellId": cell_id} if cell_id else {},
        }
        return self


def write_notebook(path: Path, *cells: tuple[str, str, CellRecord | None]) -> None:
    """Cells of (id, source, record), as a front end saves them."""
    made = []
    for id, source, record in cells:
        data = with_record(a_bundle(), record) if record else {"text/plain": ["no", "record"]}
        data = {mime: [value] if isinstance(value, str) else value for mime, value in data.items()}
        made.append({"id": id, "cell_type": "code", "source": [source], "outputs": [{"data": data}]})
    path.write_text(json.dumps({"cells": made}))


def answers(place: CellPlace) -> list[str]:
    """What the records of a cell say."""
    return [record_of(bundle).answer for bundle in place.bundles]


def place_of(counter: CellCounter, shell: Shell) -> CellPlace | None:
    return counter.place(shell, lambda: own_notebook(shell.user_ns))


GO_ON = "%%agent\ngo on"
GO_ON_PRINT = fingerprint_of("", "go on")


def test_the_record_of_a_cell_is_found_by_its_id(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    first, second = a_record(fingerprint=GO_ON_PRINT), a_record(fingerprint=GO_ON_PRINT, answer="second")
    write_notebook(path, ("aa", GO_ON, first), ("bb", GO_ON, second), ("cc", GO_ON, None))
    shell, counter = Shell(path), CellCounter()
    for id, answer in (("bb", "second"), ("aa", "All **done**."), ("cc", None), ("dd", None), ("bb", "second")):
        place = place_of(counter, shell.running(GO_ON, id))
        assert answers(place) == ([answer] if answer else []), id
    assert answers(place_of(counter, shell.running("%%agent\ngo on, please", "aa"))) == [], "its text has changed"


def test_without_ids_cells_of_one_text_are_told_apart_by_their_order(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    write_notebook(path, ("aa", GO_ON, None), ("bb", GO_ON, a_record(fingerprint=GO_ON_PRINT, answer="second")))
    shell, counter = Shell(path), CellCounter()
    found = [answers(place_of(counter, shell.running(GO_ON))) for _ in range(3)]
    assert found == [[], ["second"], []], "the first cell has no record, and gets none of the second"


def test_in_a_file_without_ids_a_cell_is_found_by_its_text_if_no_other_has_it(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    again = "%%agent\nonce more"
    twin = a_record(fingerprint=fingerprint_of("", "once more"))
    write_notebook(path, ("", GO_ON, a_record(fingerprint=GO_ON_PRINT)), ("", again, twin), ("", again, None))
    old = json.loads(path.read_text())
    for cell in old["cells"]:
        del cell["id"]
    path.write_text(json.dumps(old))
    for made_up in ("0a1b-2c", "another-page"):
        assert len(answers(place_of(CellCounter(), Shell(path).running(GO_ON, made_up)))) == 1
        assert answers(place_of(CellCounter(), Shell(path).running(again, made_up))) == [], "it may be the other one"


def test_an_id_that_is_none_of_a_file_is_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    write_notebook(path, ("aa", GO_ON, a_record(fingerprint=GO_ON_PRINT)))
    place = place_of(CellCounter(), Shell(path).running(GO_ON, "vscode-notebook-cell:/a.ipynb#W0"))
    assert place.cell_id == "" and len(answers(place)) == 1


@pytest.mark.parametrize(
    "code", ["%tool Read a", "x = 1", "def f():\n    %agent status", "%%time\n%%agent\nx", "%%bash\nx"]
)
def test_only_whole_agent_cells_have_records(tmp_path: Path, code: str) -> None:
    write_notebook(tmp_path / "a.ipynb")
    assert place_of(CellCounter(), Shell(tmp_path / "a.ipynb").running(code, "aa")) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"cells": [1, {"id": "aa", "outputs": 3}]}'])
def test_a_file_that_is_no_notebook_holds_no_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.ipynb").write_text(text)
    assert answers(place_of(CellCounter(), Shell(tmp_path / "a.ipynb").running(GO_ON, "aa"))) == []


def test_what_the_file_held_at_the_start_counts_when_it_is_saved_without(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    write_notebook(path, ("aa", GO_ON, a_record(fingerprint=GO_ON_PRINT)))
    shell = Shell(path)
    counter = CellCounter(notebook_at_start(shell.user_ns))
    write_notebook(path, ("aa", GO_ON, None), ("bb", GO_ON, None))
    assert len(answers(place_of(counter, shell.running(GO_ON, "aa")))) == 1
    assert answers(place_of(counter, shell.running(GO_ON, "bb"))) == []
    write_notebook(tmp_path / "b.ipynb", ("aa", GO_ON, None))
    assert answers(place_of(counter, Shell(tmp_path / "b.ipynb").running(GO_ON, "aa"))) == [], "another notebook"


def test_nothing_is_recorded_where_no_notebook_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JPY_SESSION_NAME", "JUPYTER_AGENTTOOLS_NOTEBOOK"):
        monkeypatch.delenv(name, raising=False)
    assert place_of(CellCounter(), Shell(tmp_path / "gone.ipynb").running(GO_ON, "aa")) is None
    assert place_of(CellCounter(), SimpleNamespace(user_ns={})) is None  # type: ignore[arg-type]


# ---- on this machine


def a_place(**changes: Any) -> CellPlace:
    given = {"notebook": "/work/a.ipynb", "cell_id": "aa", "nth": 0, "fingerprint": "f" * 64}
    return CellPlace(**{**given, **changes})


def test_the_store_gives_a_cell_its_own_newest_record(home: Path) -> None:
    for turn, at, place in (
        ("1" * 32, 10.0, a_place()),
        ("2" * 32, 30.0, a_place()),
        ("3" * 32, 20.0, a_place()),
        ("4" * 32, 99.0, a_place(notebook="/work/b.ipynb")),
        ("5" * 32, 99.0, a_place(cell_id="bb")),
        ("6" * 32, 99.0, a_place(nth=1)),
    ):
        record = a_record(turn=turn, at=at)
        store(home / "sessions" / record.session, place, record, with_record(a_bundle(), record), [])
    assert turns(a_place()) == ["1" * 32, "2" * 32, "3" * 32]
    assert turns(a_place(cell_id="bb")) == ["5" * 32]
    assert turns(a_place(notebook="/work/c.ipynb")) == turns(a_place(fingerprint="e" * 64)) == []


def turns(place: CellPlace, session: str = "") -> list[str]:
    """The turns whose records the store has for a cell."""
    return sorted(record_of(bundle).turn for bundle in stored_bundles(place, session))


def test_what_another_session_ran_counts_until_the_notebook_is_saved(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text("{}")
    for id in ("aa", ""):
        place, record = a_place(notebook=str(path), cell_id=id), a_record(at=2_000_000_000.0)
        store(home / "sessions" / record.session, place, record, with_record(a_bundle(), record), [])
        assert len(turns(place)) == (1 if id else 0), "where cells have no id, programs run the same notebook again"
        os.utime(path, (2_000_000_001, 2_000_000_001))
        assert turns(place) == [] and len(turns(place, record.session)) == 1
        os.utime(path, (1, 1))


def test_the_messages_of_a_turn_are_kept_for_this_user_without_secrets_and_images(home: Path) -> None:
    image = ImageBlock({"type": "base64", "media_type": "image/png", "data": "AAAA"})
    secret = "sk-ant-api03-" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=95))
    messages = [
        Message("user", (TextBlock(f"use {secret}"),)),
        Message("assistant", (ToolUse("Read", {"file_path": "a"}, "toolu_1"),)),
        Message("user", (ToolResultBlock("toolu_1", (TextBlock("seen"), image)),)),
        Message("assistant", (TextBlock("Done."),)),
    ]
    record = a_record()
    store(home / "sessions" / record.session, a_place(), record, with_record(a_bundle(), record), messages)
    (file,) = (home / "sessions" / record.session / FOLDER).iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and secret not in file.read_text() and "AAAA" not in file.read_text()
    back = messages_of(stored_messages(record))
    assert [message.role for message in back] == ["user", "assistant", "user", "assistant"]
    assert back[1:] == (messages[1], Message("user", (ToolResultBlock("toolu_1", "seen\n[image]"),)), messages[3])


def test_ids_that_somebody_wrote_into_a_file_lead_nowhere_else(home: Path) -> None:
    outside = home / "outside"
    record = a_record(session="../outside", turn="../../x")
    store(outside, a_place(), a_record(), with_record(a_bundle(), a_record()), [Message("user", (TextBlock("x"),))])
    assert stored_messages(record) == () and stored_messages(a_record(session="*")) == ()
