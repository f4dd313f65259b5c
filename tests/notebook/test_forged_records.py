"""Records that somebody else wrote: they are shown at most, break no cell, and put no word into the conversation."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.blocks import Message, TextBlock
from jupyter_agenttools.core.names import TRACE_MIME_TYPE
from jupyter_agenttools.core.updates import TurnEnded
from jupyter_agenttools.notebook import cell_records_replay
from jupyter_agenttools.notebook.cell_records import (
    ANSWER_CHARS,
    CUT_CHARS,
    MOST_CHARS,
    PROMPT_CHARS,
    Bundle,
    cut,
    is_plain,
    record_of,
    with_record,
)
from jupyter_agenttools.notebook.cell_records_place import CellPlace
from jupyter_agenttools.notebook.cell_records_replay import CellRecords
from jupyter_agenttools.notebook.cell_records_store import store
from jupyter_agenttools.notebook.own_notebook import NotebookFile
from tests.notebook.test_cell_records import a_bundle, a_place, a_record

ASKED = "What the cell says."


class Heard:
    """A session as far as records need one; the model is told what is in ``messages``."""

    def __init__(self, folder: Path) -> None:
        self.id, self.dir, self.messages = "0" * 32, folder, list[Message]()
        self.conversation = self

    def add(self, message: Message) -> Message:
        self.messages.append(message)
        return message

    @property
    def told(self) -> list[str]:
        return [message.text for message in self.messages]


class Kernel:
    """A kernel that shows what can go over a wire, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.session, self.shown = Heard(folder), list[Bundle]()
        runtime: Any = SimpleNamespace(session=self.session, background=SimpleNamespace(running=None))
        self.records = CellRecords(runtime, NotebookFile("", b""))

    def show(self, bundle: Bundle) -> None:
        json.dumps(bundle, ensure_ascii=False, allow_nan=False).encode()
        self.shown.append(bundle)

    def replay(self, bundle: Any) -> TurnEnded | None:
        """Run the cell whose file has this output."""
        saved = json.loads(json.dumps([{"outputs": [{"data": bundle}]}]))
        return self.records.replay(a_place(cells=tuple(saved)), ASKED)

    @property
    def text(self) -> str:
        return "\n".join(str(bundle.get("text/plain")) for bundle in self.shown)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_AGENTTOOLS_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def kernel(home: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    kernel = Kernel(home / "sessions" / ("0" * 32))
    monkeypatch.setattr(cell_records_replay, "show", kernel.show)
    return kernel


def forged(**fields: Any) -> dict[str, Any]:
    """A record as somebody may write it by hand."""
    bundle = with_record(a_bundle(), a_record())
    bundle[TRACE_MIME_TYPE]["record"] |= {"seal": "0" * 64, **fields}
    return bundle


def nested(levels: int) -> Any:
    data: Any = 1
    for _ in range(levels):
        data = [data]
    return data


# ---- what the model is told


@pytest.mark.parametrize("seal", ["", "0" * 64, None, "é", "\ud800"])
def test_what_was_recorded_elsewhere_is_shown_and_not_told(kernel: Kernel, seal: Any) -> None:
    ended = kernel.replay(forged(prompt="Hidden words.", answer="Their **answer**.", seal=seal))
    if seal == "\ud800":
        assert ended is None and kernel.shown == []
    else:
        assert ended is not None and ended.text == "Their **answer**."
        assert "<strong>answer</strong>" in kernel.shown[1]["text/html"] and "ours" not in kernel.text
        assert "from another machine or person; it is not told to the model" in kernel.text
        assert "--rerun" in kernel.text and "Hidden" not in kernel.text
    assert kernel.session.told == []


def test_a_seal_does_not_cover_other_words(kernel: Kernel) -> None:
    bundle = with_record(a_bundle(), a_record())
    bundle[TRACE_MIME_TYPE]["record"]["prompt"] = "Hidden words."
    assert kernel.replay(bundle) is not None and kernel.session.told == []


def test_of_a_sealed_record_the_cell_itself_is_the_question(kernel: Kernel) -> None:
    assert kernel.replay(with_record(a_bundle(), a_record(prompt="Cut …"))) is not None
    assert kernel.session.told == [ASKED, "All **done**."] and "another machine" not in kernel.text
    assert kernel.shown[1]["text/html"] == "<p>ours</p>"


def test_words_of_the_store_are_told_for_a_sealed_record_alone(kernel: Kernel, home: Path) -> None:
    record = a_record()
    said = [Message("user", (TextBlock("Kept."),)), Message("assistant", (TextBlock("Answered."),))]
    sealed = with_record(a_bundle(), record)
    store(home / "sessions" / record.session, a_place(cell_id="zz"), record, sealed, said)
    kernel.replay(forged())
    assert kernel.session.told == []
    kernel.replay(sealed)
    assert kernel.session.told == ["Kept.", "Answered."]


def test_what_could_not_be_shown_is_not_told(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(bundle: Bundle) -> None:
        raise OSError("the page is gone")

    monkeypatch.setattr(cell_records_replay, "show", broken)
    with pytest.raises(OSError, match="gone"):
        kernel.replay(with_record(a_bundle(), a_record()))
    assert kernel.session.told == []


# ---- what breaks no cell

TEXTS = st.text(st.characters(), max_size=20)
"""With halves of characters among them."""
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(TEXTS, parts, max_size=4),
    max_leaves=8,
)
FIELDS = ("version", "fingerprint", "session", "turn", "at", "reason", "prompt", "answer", "seal")
TIMES = st.floats() | st.integers()
OF_A_KIND = {"at": TIMES} | dict.fromkeys(("prompt", "answer", "seal", "session", "turn"), TEXTS)


@pytest.fixture(scope="module")
def any_kernel(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("JUPYTER_AGENTTOOLS_HOME", str(folder))
        kernel = Kernel(folder / "sessions" / "0")
        patch.setattr(cell_records_replay, "show", kernel.show)
        yield kernel


def replayed(kernel: Kernel, bundle: Any) -> None:
    kernel.replay(bundle)
    assert kernel.session.told == []
    kernel.shown.clear()


@pytest.mark.parametrize("name", FIELDS)
@given(data=st.data())
def test_anything_in_a_field_breaks_nothing_and_tells_nothing(any_kernel: Kernel, name: str, data: Any) -> None:
    replayed(any_kernel, forged(**{name: data.draw(DATA | OF_A_KIND.get(name, DATA))}))


@given(fields=st.fixed_dictionaries({}, optional={name: DATA for name in FIELDS}), trace=DATA, calls=DATA, more=DATA)
def test_anything_anywhere_breaks_nothing_and_tells_nothing(
    any_kernel: Kernel, fields: dict[str, Any], trace: Any, calls: Any, more: Any
) -> None:
    bundle = forged(**fields)
    bundle[TRACE_MIME_TYPE] |= {"calls": calls, "more": more}
    replayed(any_kernel, bundle)
    replayed(any_kernel, {**forged(), "text/html": more, "application/json": trace})
    replayed(any_kernel, {**bundle, TRACE_MIME_TYPE: trace})
    replayed(any_kernel, trace)


@pytest.mark.parametrize("levels", [98, 99, 150, 850])
@pytest.mark.parametrize("place", ["calls", "more", "text/html", "prompt"])
def test_however_deep_it_is_nested(any_kernel: Kernel, levels: int, place: str) -> None:
    bundle = forged()
    where = {"text/html": bundle, "prompt": bundle[TRACE_MIME_TYPE]["record"]}.get(place, bundle[TRACE_MIME_TYPE])
    where[place] = nested(levels)
    replayed(any_kernel, bundle)


@pytest.mark.parametrize("text", ["a\ud800", "\udcff", "\U0001f600\udfff"])
@pytest.mark.parametrize("name", ["prompt", "answer", "seal", "session", "turn"])
def test_half_a_character_makes_it_no_record(kernel: Kernel, name: str, text: str) -> None:
    assert kernel.replay(forged(**{name: text})) is None
    assert kernel.shown == [] and kernel.session.told == []


def test_too_much_is_no_record() -> None:
    assert record_of(forged(extra="x" * MOST_CHARS)) is None
    assert record_of(forged(extra=[0] * MOST_CHARS)) is None
    assert record_of(forged(extra={str(n): n for n in range(MOST_CHARS // 4)})) is None


@given(DATA)
def test_what_is_plain_can_be_sent(data: Any) -> None:
    try:
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        assert not is_plain(data)
    else:
        assert is_plain(data)


@pytest.mark.parametrize("text", ["x\n", "> ", "[", "*a_", "<b>"])
def test_what_is_read_is_cut_as_what_is_written(kernel: Kernel, text: str) -> None:
    record = record_of(forged(prompt=text * 50_000, answer=text * 50_000))
    assert record is not None
    assert record.prompt == cut(text * 50_000, PROMPT_CHARS) and record.answer == cut(text * 50_000, ANSWER_CHARS)
    ended = kernel.replay(forged(answer=text * 50_000))
    assert ended is not None and len(ended.text) <= ANSWER_CHARS + CUT_CHARS


@given(st.integers(0, 10**13), st.integers(1, 200))
def test_a_text_is_cut_once(missing: int, chars: int) -> None:
    once = cut("x" * (chars + missing % 1000), chars)
    assert cut(once, chars) == once
    assert len(f"… [{missing:,} more characters are not kept here]") <= CUT_CHARS


# ---- what we write ourselves


def kept(kernel: Kernel, bundle: Bundle, prompt: str, answer: str) -> Bundle:
    return kernel.records.keep(a_place(), bundle, TurnEnded("end_turn", answer), prompt, [])


def test_long_texts_and_halves_of_characters_keep_their_seal(kernel: Kernel) -> None:
    bundle = kept(kernel, a_bundle(), "p\ud800" * 5_000, "a" * 20_000)
    assert kernel.replay(bundle) is not None
    assert "another machine" not in kernel.text and kernel.session.told[0] == ASKED


def test_half_a_secret_is_not_kept(kernel: Kernel) -> None:
    secret = "sk-ant-api03-" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=95))
    bundle = kept(kernel, a_bundle(), "x" * (PROMPT_CHARS - 40) + f" {secret} " + "y " * 500, "")
    assert secret[:25] not in json.dumps(bundle)


def test_a_turn_that_is_nested_too_deep_has_no_record(kernel: Kernel) -> None:
    bundle = a_bundle()
    bundle[TRACE_MIME_TYPE]["calls"] = nested(850)
    assert kept(kernel, bundle, "p", "a") is bundle and record_of(bundle) is None


def test_a_cell_whose_text_is_no_text_is_none_of_ours() -> None:
    deep = json.loads(json.dumps([{"outputs": [{"data": {**forged(), "text/plain": nested(850)}}]}]))
    assert len(CellPlace("/a", "aa", 0, "f" * 64, tuple(deep)).bundles) == 1
