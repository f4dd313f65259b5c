"""Markdown from a model as HTML: no raw HTML, nothing loaded from anywhere, only web and mail links."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .chars import escape, fence, visible
from .highlight import code_lines

_SCHEMES = ("http://", "https://", "mailto:")


def markdown_html(text: str) -> str:
    """The HTML of a Markdown text; what is not allowed in it stays readable as text."""
    return visible(_parser().render(text)).strip()  # marks last: character references have become characters by now


def safe_markdown(text: str) -> str:
    """The same Markdown when any renderer may be given it, else the text in a fence.

    A front end's own renderer may pass raw HTML through in a trusted notebook, and loads the images it meets.
    """
    plain = visible(text).strip()
    harmless = all(_harmless(parser.parse(plain)) for parser in (_parser(), _reference_parser()))
    return plain if harmless else fence(plain, "markdown")


def top_level_lines(text: str) -> list[int]:
    """The line in which each block of a Markdown text begins, from 0; blocks inside of others do not count."""
    tokens = _block_parser().parse(text)
    return [token.map[0] for token in tokens if token.level == 0 and token.map is not None and token.nesting >= 0]


def _harmless(tokens: list[Any]) -> bool:
    for token in tokens:
        if token.type in ("html_block", "html_inline", "image"):
            return False
        if token.type == "text" and visible(token.content) != token.content:
            return False
        if token.type == "link_open" and not _allowed(str(token.attrs["href"])):
            return False
        if token.children and not _harmless(token.children):
            return False
    return True


def _allowed(url: str) -> bool:
    return url.lower().startswith(_SCHEMES)


@lru_cache(maxsize=1)
def _parser() -> Any:
    """Ours: CommonMark with tables, without HTML."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "highlight": _highlight}).enable(["table", "strikethrough"])
    parser.validateLink = _allowed
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link_open)
    return parser


@lru_cache(maxsize=1)
def _block_parser() -> Any:
    """Sees the same blocks as ours, and does not look into their words: that takes most of the time."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


@lru_cache(maxsize=1)
def _reference_parser() -> Any:
    """What another renderer would see: HTML and every link on."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True
    return parser


def _highlight(code: str, language: str, attributes: str) -> str:
    return "\n".join(code_lines(code.split("\n"), language))


def _image(renderer: Any, tokens: list[Any], index: int, options: Any, environment: Any) -> str:
    token = tokens[index]
    return f"[image: {escape(token.content or 'without a name')} – {escape(token.attrs['src'])}]"


def _link_open(renderer: Any, tokens: list[Any], index: int, options: Any, environment: Any) -> str:
    return f'<a href="{escape(tokens[index].attrs["href"])}" rel="noopener noreferrer">'
