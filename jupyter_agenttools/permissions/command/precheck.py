"""What a text may not hold at all, before anybody tries to read it as a command."""

from __future__ import annotations

import re
import unicodedata

from .parsed import TooComplex

MAX_COMMAND_CHARS = 10_000
"""Above this a person is always asked, whatever the text is (the limit of other agents in the field)."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_ODD_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def check_text(text: str) -> None:
    """Refuse what shells, terminals and people read in different ways.

    Raises:
        TooComplex: too long, a control character, an invisible character, a blank that is none, half a character.
    """
    if len(text) > MAX_COMMAND_CHARS:
        raise TooComplex("too-long", f"longer than {MAX_COMMAND_CHARS:,} characters", MAX_COMMAND_CHARS, len(text))
    control = _CONTROL.search(text)
    if control:
        at, code = control.start(), ord(control.group())
        check_id = "carriage-return" if code == 13 else "control-character"
        raise TooComplex(check_id, f"control character U+{code:04X} at position {at + 1}", at, at + 1)
    if text.isascii():
        return
    for at, char in enumerate(text):
        if char > "\x7f" and unicodedata.category(char) in _ODD_CATEGORIES:
            name = unicodedata.name(char, "no name")
            said = f"invisible or odd character U+{ord(char):04X} ({name}) at position {at + 1}"
            raise TooComplex("unicode-blank", said, at, at + 1)
