"""What hypothesis makes for the renderers: texts that want to break out, and views made of them."""

from __future__ import annotations

import base64

from hypothesis import strategies as st

from jupyter_agenttools.core.views import (
    Badge,
    ChecklistBlockView,
    ChecklistItem,
    CodeBlockView,
    DiffBlockView,
    ImageBlockView,
    JsonBlockView,
    ProgressBlockView,
    TableBlockView,
    TextBlockView,
    ToolView,
)

FRAGMENTS = (
    "<script>window.PWN=1</script>",
    "<img src=x onerror=window.PWN=1>",
    "</pre></div></style>",
    "<!-- ",
    "<![CDATA[",
    '" onload="x',
    "' style='x",
    "&#x202E;",
    "&lt;b&gt; &amp;",
    "&rlm;",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\u200b",
    "\x1b[31m",
    "\x1b[38;2;1;2;3m",
    "\x1b]8;;http://evil.example\x07",
    "\x1b[2K",
    "\x9b",
    "\x00",
    "\x07",
    "\x85",
    "\u2028",
    "\r",
    "\r\n",
    "\n",
    "\t",
    "\ud800",
    "\U000e0041",
    "```",
    "~~~",
    "`",
    "![x](http://evil.example/p.png)",
    "[x](javascript:alert(1))",
    "[x](http://example.org)",
    "[r]: http://evil.example 'x'\n",
    "<http://example.org>",
    "| a | b |\n|---|:-:|\n| 1 | 2 |\n",
    "# head\n",
    "> quote\n",
    "1. one\n",
    "***\n",
    "**bold**",
    "$x$",
    " ",
    "    ",
    "def f(x): return '''",
    "/* ",
)

texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=6), max_size=8).map("".join)
languages = st.sampled_from(("", "terminal", "python", "bash", "json", "html", "markdown", "no such language"))
tones = st.sampled_from(("neutral", "info", "ok", "warning", "error"))
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | texts,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(texts, children, max_size=3),
    max_leaves=6,
)
image_data = texts | st.binary(max_size=9).map(lambda raw: base64.b64encode(b"\x89PNG\r\n\x1a\n" + raw).decode())

marks = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 9)), max_size=3).map(tuple)
items = st.builds(ChecklistItem, texts, st.sampled_from(("pending", "in_progress", "done")), texts)

blocks = st.one_of(
    st.builds(TextBlockView, texts, st.booleans(), tones),
    st.builds(CodeBlockView, texts, languages, st.none() | st.integers(1, 999), st.integers(0, 3), texts, marks),
    st.builds(DiffBlockView, texts, texts, texts, fragment=st.booleans()),
    st.integers(1, 3).flatmap(
        lambda width: st.builds(
            TableBlockView,
            st.tuples(*[texts] * width),
            st.lists(st.tuples(*[texts] * width), max_size=4).map(tuple),
            texts,
            st.lists(st.sampled_from(("text", "number", "code")), max_size=3).map(tuple),
        )
    ),
    st.builds(ImageBlockView, st.sampled_from(("image/png", "image/gif", "image/svg+xml")), image_data, texts, texts),
    st.builds(ChecklistBlockView, st.lists(items, max_size=4).map(tuple), texts),
    st.builds(ProgressBlockView, texts, st.floats(0, 10), st.none() | st.floats(1, 10)),
    st.builds(JsonBlockView, json_values, texts),
)
views = st.builds(
    ToolView,
    texts,
    st.lists(st.builds(Badge, texts, tones), max_size=2).map(tuple),
    st.lists(blocks, max_size=3).map(tuple),
    st.booleans(),
)
