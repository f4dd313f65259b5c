"""The one stylesheet, as the tag that goes before the first view of a page or output."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

_ANSI = {  # name: light, dark; and the same for its intense form
    "black": ("#24292f", "#6e7681", "#57606a", "#8b949e"),
    "red": ("#cf222e", "#ff7b72", "#a40e26", "#ffa198"),
    "green": ("#116329", "#3fb950", "#1a7f37", "#56d364"),
    "yellow": ("#7d4e00", "#d29922", "#633c01", "#e3b341"),
    "blue": ("#0969da", "#58a6ff", "#218bff", "#79c0ff"),
    "magenta": ("#8250df", "#bc8cff", "#a475f9", "#d2a8ff"),
    "cyan": ("#1b7c83", "#39c5cf", "#3192aa", "#56d4dd"),
    "white": ("#6e7781", "#b1bac4", "#8c959f", "#f0f6fc"),
}


class Rule(NamedTuple):
    """One rule of the stylesheet, and for each selector the ``.class`` and ``tag`` names that it is about."""

    text: str
    needs: tuple[frozenset[str], ...]


@lru_cache(maxsize=1)
def rules() -> tuple[Rule, ...]:
    """The stylesheet, without what only its authors need."""
    text = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) + _ansi_rules()
    return tuple(_rule(selectors, body) for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", text))


def _rule(selectors: str, body: str) -> Rule:
    names = [re.sub(r"\s*>\s*", ">", selector.strip()) for selector in selectors.split(",")]
    short = re.sub(r"\s*([:;,])\s*", r"\1", " ".join(body.split())).rstrip(";")
    needs = tuple(frozenset(re.findall(r"\.[a-z][\w-]*|(?<=[\s>])[a-z]\w*", name)) for name in names)
    return Rule(f"{','.join(names)}{{{short}}}", needs)


def _ansi_rules() -> str:
    written = []
    for name, (light, dark, intense_light, intense_dark) in _ANSI.items():
        for suffix, pair in (("", f"{light},{dark}"), ("-intense", f"{intense_light},{intense_dark}")):
            written.append(f".agt .ansi-{name}{suffix}-fg{{color:light-dark({pair})}}")
            written.append(f".agt .ansi-{name}{suffix}-bg{{background:light-dark({pair})}}")
    return "".join(written)


def style_tag(html: str | None = None) -> str:
    """The ``<style>`` element that a page or a saved output needs once.

    Args:
        html: what will be shown; only rules for what occurs in it are given. ``None`` gives all of them.
    """
    if html is None:
        return f"<style>{''.join(rule.text for rule in rules())}</style>"
    classes = {f".{name}" for value in re.findall(r'class="([^"]*)"', html) for name in value.split()}
    present = {".agt", *classes, *re.findall(r"<([a-z]\w*)", html)}
    used = (rule.text for rule in rules() if any(need <= present for need in rule.needs))
    return f"<style>{''.join(used)}</style>"
