"""Looking at rendered HTML as a parser does: is every tag and attribute one that may be there?"""

from __future__ import annotations

import re
from html.parser import HTMLParser

ALLOWED_TAGS = frozenset(
    "a b blockquote br code del details div em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins li mark ol p pre "
    "progress s section small span strong style summary table tbody td th thead tr ul".split()
)
INLINE_TAGS = frozenset("a b code del em i ins mark s small span strong".split())
VOID_TAGS = frozenset({"br", "hr", "img"})
ALLOWED_ATTRIBUTES = {
    "a": {"href", "rel"},
    "details": {"class", "open"},
    "img": {"alt", "src"},
    "ol": {"start"},
    "progress": {"max", "value"},
    "section": {"aria-label", "class"},
    "span": {"aria-hidden", "class", "style"},
    "td": {"style"},
    "th": {"scope", "style"},
    "ul": {"role"},
}
STYLES = re.compile(r"text-align:(left|right|center)|(color:#[0-9a-f]{6})?;?(background-color:#[0-9a-f]{6})?", re.ASCII)
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


class Page(HTMLParser):
    """A fragment, checked while it is read; ``problems`` says what must not be there.

    Attributes:
        text: everything between tags; pre: the same inside ``<pre>`` alone.
        words: the text as it is read, with one space between words and blocks.
        tags: the tags in order of their opening.
    """

    def __init__(self, fragment: str) -> None:
        super().__init__(convert_charrefs=True)
        self.problems: list[str] = []
        self.text, self.pre, self._spaced = "", "", ""
        self.tags: list[str] = []
        self._open: list[str] = []
        self._fresh_pre = False
        self.feed(fragment)
        self.close()
        if self._open:
            self.problems.append(f"left open: {self._open}")
        if found := UNSEEN.search(fragment):
            self.problems.append(f"unseen character {found.group()!r}")

    @property
    def words(self) -> str:
        return " ".join(self._spaced.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._fresh_pre = tag == "pre"
        self._spaced += "" if tag in INLINE_TAGS else " "
        if tag not in ALLOWED_TAGS:
            self.problems.append(f"<{tag}>")
        if tag not in VOID_TAGS:
            self._open.append(tag)
        allowed = ALLOWED_ATTRIBUTES.get(tag, set()) | {"class"}
        self.problems += [f"<{tag} {name}={value!r}>" for name, value in attrs if not _fine(name, value or "", allowed)]

    def handle_endtag(self, tag: str) -> None:
        self._spaced += "" if tag in INLINE_TAGS else " "
        if tag in VOID_TAGS:
            return
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> closes what is not open")

    def handle_data(self, data: str) -> None:
        if self._fresh_pre:
            data = data.removeprefix("\n")  # as a browser does
        self._fresh_pre = False
        if "style" not in self._open:
            self.text += data
            self._spaced += data
        if "pre" in self._open:
            self.pre += data

    def handle_comment(self, data: str) -> None:
        self.problems.append(f"comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        self.problems.append(f"declaration {decl!r}")


def _fine(name: str, value: str, allowed: set[str]) -> bool:
    if name not in allowed:
        return False
    checks = {
        "class": lambda: re.fullmatch(r"[\w -]*", value, re.ASCII) is not None or value.startswith("language-"),
        "href": lambda: value.lower().startswith(("http://", "https://", "mailto:")),
        "src": lambda: re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*", value) is not None,
        "style": lambda: STYLES.fullmatch(value) is not None,
        "rel": lambda: value == "noopener noreferrer",
        "role": lambda: value == "list",
        "scope": lambda: value == "col",
    }
    return checks.get(name, lambda: True)()
