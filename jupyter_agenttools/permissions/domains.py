"""Rules about hosts: ``WebFetch(domain:example.org)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from urllib.parse import urlsplit

_ODD = re.compile(r"[\x00-\x20\x7f\\]")
PREFIX = "domain:"


class HostPattern(str):
    """The text of a rule after ``domain:``."""


def host_of(url: str) -> str | None:
    """The host that this URL leads to, in lower case ASCII; ``None`` when readers of URLs may disagree about it."""
    if _ODD.search(url):
        return None
    try:
        host = urlsplit(url).hostname
        host = host and host.rstrip(".").encode("idna").decode("ascii").lower()
    except (ValueError, UnicodeError):
        return None
    return host if host and "%" not in host else None


def is_web(url: str) -> bool:
    """Whether this URL is one of the web: a rule that allows a host allows no files, and no programs, in its name."""
    return url.lower().startswith(("https://", "http://"))


def domain_matches(pattern: str, host: str) -> bool:
    """Whether ``host`` (as :func:`host_of` gives it) fits the text after ``domain:``.

    ``*.h`` is every sub-domain of ``h`` at any depth but not ``h``; any other star stays within one label.
    """
    return _compiled(pattern)(host)


@lru_cache(maxsize=8192)
def _compiled(pattern: str) -> Callable[[str], bool]:
    wanted = normal_host(pattern)
    if wanted == "*":
        return lambda host: True
    if wanted.startswith("*.") and "*" not in wanted[2:]:
        return lambda host: host.endswith(wanted[1:]) and len(host) > len(wanted) - 1
    if "*" not in wanted:
        name = _ascii(wanted)
        return lambda host: host == name
    regex = re.compile(re.escape(_ascii(wanted)).replace(r"\*", r"[^.]*"))
    return lambda host: regex.fullmatch(host) is not None


class HostIndex:
    """Which of many rules could be about a host: all others need not be tried.

    Args:
        patterns: each with the number by which it is found again.
    """

    def __init__(self, patterns: Iterable[tuple[int, str]]) -> None:
        self._by_host: dict[str, list[int]] = {}
        self._others: list[int] = []
        for at, pattern in patterns:
            wanted = normal_host(pattern)
            if wanted.isascii() and "*" not in wanted.removeprefix("*."):
                self._by_host.setdefault(wanted, []).append(at)
            else:
                self._others.append(at)

    def candidates(self, host: str) -> Iterator[int]:
        """The numbers of those that could be about ``host``, or about all that ``*.host`` is about."""
        yield from self._others
        yield from self._by_host.get(host, ())
        labels = host.split(".")
        for start in range(1, len(labels)):
            yield from self._by_host.get(".".join(("*", *labels[start:])), ())


def normal_host(pattern: str) -> str:
    """The text after ``domain:`` as it is compared: in lower case, without blanks around it or a dot at its end."""
    return pattern.strip().rstrip(".").lower()


def _ascii(pattern: str) -> str:
    if pattern.isascii():
        return pattern
    try:
        return ".".join(label if "*" in label else label.encode("idna").decode("ascii") for label in pattern.split("."))
    except UnicodeError:
        return pattern
