"""Terminal output as styled runs of text: colours are understood, every other escape sequence one ``‹ESC›``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .chars import escape, visible

ESCAPE_MARK = "‹ESC›"
_COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_SEQUENCE = re.compile(
    r"\x1b\[([0-9;:]*)m"  # colours and weights: the one group
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # moving, erasing, modes
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links and other strings
    r"|\x1b[ -/]*[0-~]"
)


class Style(NamedTuple):
    """How a run of text looks; a colour is one of the sixteen names or ``#rrggbb``."""

    foreground: str = ""
    background: str = ""
    bold: bool = False
    faint: bool = False
    italic: bool = False
    underline: bool = False
    inverse: bool = False


PLAIN = Style()
_SWITCHES: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"faint": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"inverse": True},
    22: {"bold": False, "faint": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"inverse": False},
}


def runs(line: str, style: Style = PLAIN) -> Iterator[tuple[str, Style]]:
    """The pieces of a line with their style; the last piece may be empty and tells the style that goes on."""
    position = 0
    for match in _SEQUENCE.finditer(line):
        yield line[position : match.start()], style
        position = match.end()
        if match.group(1) is None:
            yield ESCAPE_MARK, style
        else:
            style = _restyled(style, match.group(1))
    yield line[position:], style


def _restyled(style: Style, parameters: str) -> Style:
    codes = [int(code) if code else 0 for code in re.split("[;:]", parameters) if len(code) < 4]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = PLAIN
        elif code in _SWITCHES:
            style = style._replace(**_SWITCHES[code])
        elif code in (38, 48):
            style = style._replace(**{_side(code): _extended(codes)})
        elif code in (39, 49):
            style = style._replace(**{_side(code): ""})
        elif 30 <= code <= 47 or 90 <= code <= 107:
            style = style._replace(**{_side(code): _COLORS[code % 10 % 8] + ("-intense" if code >= 90 else "")})
    return style


def _side(code: int) -> str:
    return "background" if code // 10 in (4, 10) else "foreground"


def _extended(codes: list[int]) -> str:
    """The colour that ``38;5;n`` or ``38;2;r;g;b`` goes on to name, taken off the front of ``codes``."""
    kind = codes.pop(0) if codes else None
    if kind == 2 and len(codes) >= 3:
        red, green, blue = (min(codes.pop(0), 255) for _ in range(3))
        return f"#{red:02x}{green:02x}{blue:02x}"
    if kind == 5 and codes:
        return _palette(min(codes.pop(0), 255))
    return ""


def _palette(number: int) -> str:
    """The xterm palette: 16 names, a 6x6x6 cube, 24 greys."""
    if number < 16:
        return _COLORS[number % 8] + ("-intense" if number >= 8 else "")
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    levels = (0, 95, 135, 175, 215, 255)
    cube = number - 16
    return "#" + "".join(f"{levels[part]:02x}" for part in (cube // 36, cube // 6 % 6, cube % 6))


def last_writing(line: str) -> str:
    """What is left of a line that was written over with carriage returns (a progress bar)."""
    return line.rstrip("\r").rpartition("\r")[2]


def plain_lines(lines: list[str]) -> list[str]:
    """Each line without colours."""
    return [visible("".join(text for text, _ in runs(last_writing(line)))) for line in lines]


def html_lines(lines: list[str]) -> list[str]:
    """Each line as HTML; the class names are those of Jupyter's own renderers, so that any theme knows them."""
    style, rendered = PLAIN, []
    for line in lines:
        pieces = list(runs(last_writing(line), style))
        rendered.append("".join(_span(text, look) for text, look in pieces if text))
        style = pieces[-1][1]
    return rendered


def _span(text: str, style: Style) -> str:
    if style.inverse:
        swapped = style._replace(foreground=style.background, background=style.foreground, inverse=False)
        style = swapped if swapped.foreground or swapped.background else style
    classes = [f"ansi-{word}" for word in ("bold", "faint", "italic", "underline", "inverse") if getattr(style, word)]
    css = []
    for color, suffix, property in (
        (style.foreground, "fg", "color"),
        (style.background, "bg", "background-color"),
    ):
        if color.startswith("#"):
            css.append(f"{property}:{color}")
        elif color:
            classes.append(f"ansi-{color}-{suffix}")
    attributes = (f' class="{" ".join(classes)}"' if classes else "") + (f' style="{";".join(css)}"' if css else "")
    return f"<span{attributes}>{escape(text)}</span>" if attributes else escape(text)
