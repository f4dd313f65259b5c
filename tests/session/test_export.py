"""A session as one page: all of it, safe whatever is in it, and quick however long it is."""

from __future__ import annotations

import json
import os
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from jupyter_agenttools import UsageError
from jupyter_agenttools.core import ToolUse
from jupyter_agenttools.core.blocks import ImageBlock, Message, TextBlock, ThinkingBlock, ToolResultBlock
from jupyter_agenttools.core.updates import Compacted, ModelRetry, TurnEnded, UsageAdded
from jupyter_agenttools.core.usage import Usage
from jupyter_agenttools.session import export_transcript, save_export
from jupyter_agenttools.session.export import ExportFormat
from jupyter_agenttools.session.transcript import Transcript
from tests.bench.transcripts import written_calls
from tests.session.test_transcript_reading import PNG
from tests.support.transcripts import echo, finished

pytestmark = pytest.mark.anyio

FORMATS = ("html", "markdown")
VOID = frozenset({"meta", "img", "br", "hr", "input", "progress", "link"})
ALLOWED = frozenset(
    "html head meta title style body a header h1 h2 h3 h4 h5 h6 dl dt dd nav main section details summary div span p "
    "pre code b i s small ul ol li table thead tbody tr th td figure img figcaption em strong blockquote hr br del ins "
    "mark progress".split()
)


class Checked(HTMLParser):
    """A page in which every element is closed in its order, and none can load or run anything."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert not name.startswith("on") and name not in ("srcset", "action", "formaction", "style"), name
            if name == "src":
                assert value and value.startswith("data:image/"), value
                self.images.append(value)
            elif name == "href":
                assert value and value.startswith(("#", "http://", "https://", "mailto:")), value
                self.links.append(value)
            elif name == "id":
                self.ids.append(value or "")
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def transcript_with(folder: Path, *texts: str) -> Path:
    """A transcript with these texts wherever foreign text can stand."""
    path = folder / "transcript.jsonl"
    path.unlink(missing_ok=True)
    transcript = Transcript(path, lambda: {"version": 2, "session_id": "f" * 32, "name": texts[0], "model": texts[-1]})
    for number, text in enumerate(texts):
        use = ToolUse(text or "Echo", {text: text, "list": [text]}, f"toolu_{number}{text}")
        transcript.on_message(Message("user", (TextBlock(text),)))
        transcript.on_message(Message("assistant", (ThinkingBlock(text), TextBlock(text), use)))
        transcript._write("call_start", use.id, {"tool_use": use})
        stage = {"stage": text, "status": text, "reason": text, "duration_ms": 1.0, "out": {}}
        transcript._write("stage", use.id, stage)
        transcript._write("schedule", use.id, {"status": "queued", "reason": text})
        transcript._write("permission_request", use.id, {"reason": text})
        transcript._write("permission_answer", use.id, {"behavior": "deny", "answered_by": text, "message": text})
        transcript._write(
            "call_end", use.id, {"status": text, "block": ToolResultBlock(use.id, text), "duration_ms": 2}
        )
        transcript.on_update(Compacted(text, 3, 100, 10))
        transcript.on_update(ModelRetry(text, 1.0, 2))
        transcript.on_update(TurnEnded("error", text, text))
        transcript._write("hook_note", None, {"event": text, "text": text})
    transcript.close()
    return path


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "</details></main></body><h1>mine</h1>",
    "```\n</details>\n````\n# mine",
    "<!-- --> <![CDATA[ ]]> &lt;script&gt; &#60;b&#62;",
    "[x](javascript:alert(1)) ![y](http://evil.example/z.png) <http://a.example>",
    "\x1b[31mred\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "\u202egnp.exe \u2066hidden\u2069 \u200bzero",
    "| a | b |\n|---|---|\n| ` | `` |",
    "lone \\ud83d \x00 \x85 \u2028 end",
    "аdmin pаypal",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_is_in_it_the_page_stays_whole(tmp_path: Path, text: str) -> None:
    path = transcript_with(tmp_path, text, "plain words", text)
    page = Checked(export_transcript(path))
    assert page.tags.count("main") == page.tags.count("body") == page.tags.count("h1") == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", page.text)
    assert "plain words" in page.text


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_is_in_it_the_document_stays_whole(tmp_path: Path, text: str) -> None:
    source = export_transcript(transcript_with(tmp_path, text, "plain words", text), "markdown")
    rendered = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(source)
    outside = re.sub(r"<blockquote>.*?</blockquote>", "", rendered, flags=re.DOTALL)
    assert not re.search(r"<(script|img|iframe|object)", rendered, re.IGNORECASE)
    assert outside.count("<h1>") == 1 and outside.startswith("<h1>") and outside.count("<h2>") == 3
    assert rendered.count("<details>") == rendered.count("</details>") == 9  # three calls, thoughts and summaries
    assert 'href="javascript' not in rendered.lower()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", source)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=3))
@settings(max_examples=60)
def test_any_text_is_safe(tmp_path_factory, texts: list[str]) -> None:
    path = transcript_with(tmp_path_factory.mktemp("t"), *texts)
    Checked(export_transcript(path))
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(export_transcript(path, "markdown"))
    assert rendered.count("<details>") == rendered.count("</details>")


async def test_the_page_holds_all_that_a_reader_wants(tmp_path: Path) -> None:
    turns = [["I **look**", echo("a"), echo("b")], [ToolUse("Bash", {"command": "rm -rf x"})], "It is *done*."]
    session = await finished(tmp_path, turns, "What is in it?", name="the name")
    session.observers.emit("on_update", UsageAdded(Usage(1_000, 200), 0.05))
    page = Checked(export_transcript(session.transcript.path))
    for words in (
        "the name",
        session.id,
        str(tmp_path),
        "What is in it?",
        "look",
        "rm -rf x",
        "denied",
        "1,000 tokens in",
        "$0.05",
        "9 stages",
        "allowed by the rule Echo",
        "no rule allows it",
    ):
        assert words in page.text, words
    assert page.text.index("What is in it?") < page.text.index("look") < page.text.index("rm -rf x")
    assert page.text.index("rm -rf x") < page.text.index("It is")
    assert page.tags.count("details") >= 6 and page.tags.count("details") == page.tags.count("summary")
    source = export_transcript(session.transcript.path, "markdown")
    assert "# the name" in source and "<details><summary>Echo text=a (✓ ok, " in source and "It is *done*." in source


def test_it_needs_no_script_and_nothing_from_anywhere(tmp_path: Path) -> None:
    page = export_transcript(transcript_with(tmp_path, "words"))
    assert "<script" not in page and "url(" not in page and "@import" not in page and "http-equiv" in page
    assert "default-src 'none'" in page and 'lang="en"' in page and "light-dark(" in page
    assert ":focus-visible" in page and 'name="color-scheme" content="light dark"' in page


def test_turns_can_be_reached_from_the_table_of_contents(tmp_path: Path) -> None:
    page = Checked(export_transcript(transcript_with(tmp_path, "one", "two", "three")))
    assert [link for link in page.links if "turn" in link] == ["#turn-1", "#turn-2", "#turn-3"]
    assert set(page.links) <= {f"#{id}" for id in page.ids}


def test_images_are_in_the_page_and_words_in_the_document(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "transcript.jsonl")
    transcript.on_message(Message("user", (TextBlock("See"), ImageBlock(PNG))))
    transcript.on_message(Message("user", (ImageBlock({**PNG, "media_type": "image/svg+xml"}),)))
    transcript.close()
    assert Checked(export_transcript(transcript.path)).images == [f"data:image/png;base64,{PNG['data']}"]
    assert PNG["data"] not in export_transcript(transcript.path, "markdown")


def test_what_others_tell_the_model_is_no_prompt(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "transcript.jsonl")
    transcript.on_message(Message("user", (TextBlock("a reminder"), ImageBlock(PNG), TextBlock("the prompt"))))
    transcript.on_message(Message("assistant", (ToolUse("T", {}, "toolu_1"),)))
    transcript.on_message(Message("user", (ToolResultBlock("toolu_1", "it"), TextBlock("a job has ended"))))
    transcript.on_message(Message("user", (TextBlock("from a tool"),), "toolu_1"))
    transcript.close()
    source = export_transcript(transcript.path, "markdown")
    assert source.startswith("# the prompt\n") and source.count("\n## ") == 1
    told = re.findall(r"Told to the model</summary>\n\n> ```\n> (.*?)\n", source)
    assert told == ["a reminder", "a job has ended", "from a tool"]
    assert Checked(export_transcript(transcript.path)).images


def test_a_call_stands_where_it_was_asked_for(tmp_path: Path) -> None:
    """Calls begin before the message that asks for them is complete; those outside of a query stand by themselves."""
    transcript = Transcript(tmp_path / "transcript.jsonl")
    for name in ("alone", "early"):
        transcript._write(
            "call_start", name, {"tool_use": {"type": "tool_use", "name": "T", "input": {"at": name}, "id": name}}
        )
    transcript.on_message(Message("user", (TextBlock("the prompt"),)))
    transcript.on_message(Message("assistant", (TextBlock("the answer"), ToolUse("T", {"at": "early"}, "early"))))
    transcript.close()
    text = Checked(export_transcript(transcript.path)).text.partition("To the conversation")[2]
    text = text[text.index("at=alone") :]
    assert text.index("at=alone") < text.index("the prompt") < text.index("the answer") < text.index("at=early")
    assert text.count("at=early") == 1 and "unfinished" in text


def test_an_old_transcript_gives_no_secret_away(tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z"
    path = tmp_path / "transcript.jsonl"
    line = {"type": "message", "role": "user", "content": [{"type": "text", "text": f"it is {secret}"}]}
    path.write_text(json.dumps(line) + "\n")
    for form in FORMATS:
        text = export_transcript(path, form)
        assert secret not in text and "redacted" in text


async def test_no_secret_comes_out_of_a_new_one(tmp_path: Path) -> None:
    secret = "ghp_" + "zB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z"
    session = await finished(tmp_path, [[echo(secret)], f"It is {secret}"], f"Is it {secret}?", name=secret)
    for form in FORMATS:
        assert secret not in export_transcript(session.transcript.path, form)


@pytest.mark.parametrize("line", ["x" * 10_000_000, "é " * 3_000_000])
def test_what_is_very_long_is_cut_and_said(tmp_path: Path, line: str) -> None:
    transcript = Transcript(tmp_path / "transcript.jsonl", lambda: {"version": 2, "name": line})
    use = ToolUse("Bash", {"command": line}, "toolu_1")
    transcript.on_message(Message("user", (TextBlock(line),)))
    transcript.on_message(Message("assistant", (TextBlock(line), use)))
    transcript.on_message(Message("user", (ToolResultBlock(use.id, line),)))
    transcript.close()
    for form in FORMATS:
        before = time.process_time()
        text = export_transcript(transcript.path, form)
        assert time.process_time() - before < 10 and len(text) < 200_000
        assert re.search(r"\+[59],9\d\d,\d\d\d", text)


@pytest.mark.parametrize("form", FORMATS)
def test_the_time_is_linear(tmp_path: Path, form: str) -> None:
    def seconds(calls: int) -> float:
        path = written_calls(tmp_path / f"{form}{calls}" / "transcript.jsonl", calls)
        before = time.process_time()
        export_transcript(path, form)  # type: ignore[arg-type]
        return time.process_time() - before

    seconds(20)
    assert seconds(400) < 16 * seconds(50)


@pytest.mark.parametrize("form", ["html", "markdown"])
async def test_only_an_earlier_export_is_written_over_unasked(tmp_path: Path, form: ExportFormat) -> None:
    session = await finished(tmp_path)
    target = tmp_path / "talk.csv"
    for content in ("precious\n", "", "# Notes\n\n- one\n", "<!DOCTYPE html>\n<html>"):
        target.write_text(content)
        with pytest.raises(UsageError, match=r"no earlier export: .* --force, in Python with force=True"):
            save_export(session.transcript.path, target, form)
        assert target.read_text() == content
    save_export(session.transcript.path, target, form, force=True)
    for other in ("html", "markdown", form):
        save_export(session.transcript.path, target, other)
    assert target.read_text() == export_transcript(session.transcript.path, form)


async def test_it_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    session = await finished(tmp_path)
    target = save_export(session.transcript.path, tmp_path / "page.html")
    assert target.read_text(encoding="utf-8") == export_transcript(session.transcript.path)
    assert target.stat().st_mode & 0o077 == 0
    assert save_export(session.transcript.path, tmp_path / "page.md").read_text().startswith("# ")
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]
    for bad in (tmp_path / "page.pdf", tmp_path / "none" / "page.html"):
        with pytest.raises(UsageError):
            save_export(session.transcript.path, bad)
    with pytest.raises(UsageError, match="html and markdown"):
        export_transcript(session.transcript.path, "pdf")  # type: ignore[arg-type]
