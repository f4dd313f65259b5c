"""What the page itself has to know of cards: their keys, and how those are shown. Comes once with each display."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

CARD_CLASS = "agt-ask"
"""Of the element around one card."""

BAR_CLASS = "agt-bar"
"""Of the element above all cards of a display, which is there before they are."""

_CSS = """
.agt-ask{border-left:3px solid transparent;padding-left:8px;outline:none;margin:6px 0 2px!important}
.agt-ask:has([data-name]){border-left-color:var(--jp-brand-color1,#1976d2)}
.agt-ask:has([data-name]):focus-within{border-left-color:var(--jp-warn-color1,#b26a00)}
.agt-ask:focus-visible{outline:2px solid var(--jp-brand-color1,#1976d2);outline-offset:2px}
.agt-ask textarea,.agt-ask input[type=text]{font-family:var(--jp-code-font-family,monospace)}
.agt-ask textarea{field-sizing:content;max-height:30em}
.agt-ask .widget-inline-hbox>.widget-label{min-width:6.5em;text-align:left}
.agt-ask select{padding-right:24px;background:
linear-gradient(45deg,#0000 50%,currentColor 50%) right 13px center/5px 5px no-repeat,
linear-gradient(135deg,currentColor 50%,#0000 50%) right 8px center/5px 5px no-repeat!important}
[data-jp-theme-light=true] :is(.agt-ask,.agt-bar) button.mod-success{background:#2b7a30}
[data-jp-theme-light=true] :is(.agt-ask,.agt-bar) button.mod-warning{background:#b35900}
:is(.agt-ask,.agt-bar)[data-keys]:not([data-armed]) button{pointer-events:none}
:is(.agt-ask,.agt-bar) button[data-key]::after{content:attr(data-key) / "";
font:600 11px/1.3 var(--jp-code-font-family,monospace);
border:1px solid currentColor;border-radius:3px;padding:0 4px;margin-left:7px;opacity:.8}
"""


@lru_cache(maxsize=1)
def page_html() -> str:
    """A style element that brings the script of the cards along.

    A front end puts the text of an HTML widget into the page as it is, where script elements do not run; a style
    element says when it has been read. Where a page forbids that, cards are used with the mouse and the Tab key.
    """
    return f'<style onload="{attribute(_script())}">{" ".join(_CSS.split())}</style>'


def _script() -> str:
    """The script without what only its authors need."""
    text = files(__package__).joinpath("card.js").read_text(encoding="utf-8")
    lines = (re.sub(r"\s+//.*$", "", line).strip() for line in text.splitlines())
    code = "\n".join(line for line in lines if line and not line.startswith("//"))
    parts = re.split(r"('[^'\n]*')", code)  # every second one is a text between quotes
    parts[::2] = (re.sub(r"\s*([=+?:,;{}()<>|&!\[\]])\s*", r"\1", part) for part in parts[::2])
    return "".join(parts)


def attribute(text: str) -> str:
    """The text inside of double quotes; as short as it may be, for it is sent with every card."""
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
