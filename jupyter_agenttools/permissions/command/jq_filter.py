"""Does a jq filter only compute from its input?"""

from __future__ import annotations

import re

_FORBIDDEN = re.compile(
    r"(?<!\.)\bENV\b|__prog|(?<![\w$])(?<!(?<![.\d])\.)(?:env|import|include|modulemeta|get_search_list|getenv|system|exec|load|"
    r"input_filename|splitenv|halt_error)(?!\w)"
)


class BadFilter(Exception):
    """The filter reads, or may read, more than its input."""


def check_jq(text: str) -> None:
    """Check a jq filter. Words are looked for everywhere in it, in texts too, so that none can be hidden.

    Raises:
        BadFilter: says which word is refused.
    """
    found = _FORBIDDEN.search(text)
    if found:
        raise BadFilter(f"`{found.group()}` reads the environment or other files")
