"""Which values are secret because a variable with such a name holds them?

A value stays secret for as long as the process runs, also when its variable is gone: the text may still be anywhere.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterable, Mapping
from json import dumps
from typing import NamedTuple
from urllib.parse import quote

MIN_VALUE_CHARS = 8
"""A shorter value may be any word, and could not be taken out of a text without harming it."""

MAX_VALUES = 500
RESCAN_S = 1.0

_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|PAT|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|AUTH|COOKIE|DSN)(?:_|S?$)"
    r"|^PG(?:PASS|SERVICE)|CONNECTION_STRING",
    re.IGNORECASE,
)
_TELLS_ABOUT_ONE = re.compile(
    r"_(?:FILE|PATH|SOCK|DIR|FOLDER|NAME|TYPE|ALGORITHM|LENGTH|MODE|PROVIDER|HELPER|BACKEND|URL|HOST|PORT|TTL|EXPIRY)$"
    r"|(?:^|_)MAX_(?:\w+_)?TOKENS$|^GIT_CONFIG_KEY_\d+$|^SSH_AUTH_SOCK$",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"\d{1,12}|true|false|disabled|enabled|required|optional|\$\{?\w+\}?", re.IGNORECASE)


class SecretValue(NamedTuple):
    """A value that is secret, the variable that held it, and how it reads inside of a JSON text."""

    value: str
    name: str
    in_json: str


def speaks_of_secret(name: str) -> bool:
    """Whether a variable of this name has to do with a key or a password: it may only say where one is."""
    return _NAME.search(name) is not None


def names_secret(name: str) -> bool:
    """Whether a variable of this name is likely to hold a key or a password itself."""
    return speaks_of_secret(name) and not _TELLS_ABOUT_ONE.search(name)


class SecretValues:
    """The secret values of this process's environment, and of others that it was told of. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: tuple[SecretValue, ...] = ()
        self._watched: tuple[tuple[str, str | None], ...] = ()
        self._count = -1
        self._due = 0.0
        self._version = 0

    def version(self) -> int:
        """A number that is another one whenever :meth:`current` has come to be another."""
        self.current()
        return self._version

    def current(self) -> tuple[SecretValue, ...]:
        """All of them, the longest first. A variable that came just now is among them."""
        environ = os.environ
        if (
            len(environ) != self._count
            or time.monotonic() >= self._due
            or any(environ.get(name) != value for name, value in self._watched)
        ):
            self._scan()
        return self._values

    def add(self, variables: Mapping[str, str]) -> None:
        """Let the values of those of these variables be secret whose names say so."""
        self._keep((name, value) for name, value in variables.items() if names_secret(name))

    def _scan(self) -> None:
        known = tuple((name, value) for name, value in os.environ.copy().items() if names_secret(name))
        self._keep(known)
        self._watched, self._count, self._due = known, len(os.environ), time.monotonic() + RESCAN_S

    def _keep(self, pairs: Iterable[tuple[str, str]]) -> None:
        with self._lock:
            kept = {each.value: each for each in self._values}
            for name, value in pairs:
                for form in _forms(value):
                    if form not in kept:
                        kept[form] = SecretValue(form, name, dumps(form, ensure_ascii=False)[1:-1])
            if len(kept) != len(self._values):
                self._version += 1
                newest = list(kept.values())[-MAX_VALUES:]
                self._values = tuple(sorted(newest, key=lambda each: -len(each.value)))


def _forms(value: str) -> Iterable[str]:
    """The value as it may stand in a text; none when it is no secret at all."""
    stripped = value.strip()
    is_place = stripped.startswith(("/", "~", "./")) and os.path.exists(os.path.expanduser(stripped))
    if len(stripped) < MIN_VALUE_CHARS or _PLAIN.fullmatch(stripped) or is_place or stripped in "[redacted: ":
        return ()
    return dict.fromkeys((stripped, quote(stripped, safe="")))
