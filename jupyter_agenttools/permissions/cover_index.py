"""Which of many rules could be about all that another one is about: the others need not be compared with it.

What is found is more than what covers the rule; a rule that is not found does not cover it for certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..core.errors import RuleSyntaxError
from .command.matching import compile_command_pattern
from .domains import PREFIX, HostIndex, normal_host
from .matchers import PATH_RULES, SEARCHES
from .names import OLD_NAMES, name_matches, names_of
from .path_index import PathIndex
from .paths import PathForms, compile_path_pattern
from .patterns import Wildcard, compile_wildcard
from .rule_cover import COMMAND_NAMES, SOMETHING, Ground, about_paths
from .rules import PermissionRule

_BEYOND = {"Edit": "Read", "Read": "Edit"}
"""By whose rules a rule may be covered besides those about its own tool."""


class CoverIndex:
    """Rules of one behaviour, each found again by its number.

    Args:
        rules: the rules. ground: what they are compared on.
    """

    def __init__(self, rules: Sequence[PermissionRule], ground: Ground) -> None:
        self._ground = ground
        self._tools = _ToolNames(ground)
        self._same: dict[tuple[str, str], list[int]] = {}
        texts: dict[str, list[tuple[int, Wildcard]]] = {}
        paths: dict[str, list[tuple[int, PermissionRule]]] = {}
        hosts: list[tuple[int, str]] = []
        for at, rule in enumerate(rules):
            name, specifier = _name(rule), rule.specifier
            if specifier is None:
                self._tools.add(at, name)
                continue
            self._same.setdefault((name, specifier), []).append(at)
            if name in PATH_RULES:
                paths.setdefault(name, []).append((at, rule))
            elif name == "WebFetch":
                hosts.append((at, _after_prefix(specifier)))
            else:
                texts.setdefault(name, []).append((at, _pattern(name, specifier)))
        self._hosts = HostIndex(hosts)
        self._texts = {name: _Texts(patterns) for name, patterns in texts.items()}
        self._paths = {name: _Paths(group, ground) for name, group in paths.items()}

    def candidates(self, narrow: PermissionRule) -> list[int]:
        """The numbers of those that could cover ``narrow``, in order."""
        found = set(self._tools.candidates(narrow))
        name, specifier = _name(narrow), narrow.specifier
        if specifier is None:
            return sorted(found)
        for other in (name, *filter(None, (_BEYOND.get(name),))):
            found.update(self._same.get((other, specifier), ()))
            if other in self._paths:
                found.update(self._paths[other].candidates(narrow))
        if name == "WebFetch":
            found.update(self._hosts.candidates(normal_host(_after_prefix(specifier))))
        elif name in self._texts:
            found.update(self._texts[name].candidates(SOMETHING.join(_pattern(name, specifier).pieces)))
        return sorted(found)


def _name(rule: PermissionRule) -> str:
    return OLD_NAMES.get(rule.tool_name, rule.tool_name)


def _pattern(name: str, specifier: str) -> Wildcard:
    if name in COMMAND_NAMES:
        return compile_command_pattern(specifier)
    return compile_wildcard(specifier, word_boundary=True)


def _after_prefix(specifier: str) -> str:
    return specifier[len(PREFIX) :] if specifier.lower().startswith(PREFIX) else ""


class _Texts:
    """Text patterns by the plain text that they begin with, and by the one that they end with."""

    def __init__(self, patterns: Iterable[tuple[int, Wildcard]]) -> None:
        self._groups: dict[str, dict[str, list[tuple[int, str]]]] = {}
        for at, pattern in patterns:
            ends = "" if pattern.boundary else pattern.pieces[-1]
            group = self._groups.setdefault(pattern.pieces[0], {})
            group.setdefault(ends, []).append((at, max(pattern.pieces, key=len)))
        self._lengths = sorted({len(head) for head in self._groups})
        self._ends = {head: sorted(set(map(len, group))) for head, group in self._groups.items()}

    def candidates(self, text: str) -> Iterator[int]:
        """Those that could match ``text``."""
        for length in self._lengths:
            if length > len(text):
                return
            head = text[:length]
            group = self._groups.get(head)
            for end in self._ends[head] if group is not None else ():
                for at, longest in group.get(text[len(text) - end :], ()) if group is not None else ():
                    if longest in text:
                        yield at


class _Paths:
    """Path rules by a name that is on every path which they are about; the others are tried on the path itself."""

    def __init__(self, rules: Iterable[tuple[int, PermissionRule]], ground: Ground) -> None:
        self._ground = ground
        self._tests: dict[int, Callable[[PathForms], bool]] = {}
        patterns = []
        for at, rule in rules:
            try:
                pattern = compile_path_pattern(rule.specifier or "", rule.behavior)
            except RuleSyntaxError:
                continue  # nothing is known of such a rule
            root = ground.roots.get(rule.source, ground.base)
            self._tests[at] = pattern.test(source_root=root, cwd=ground.base)
            patterns.append((at, pattern))
        self._index = PathIndex(patterns)
        self._found: dict[str, list[int]] = {}

    def candidates(self, narrow: PermissionRule) -> list[int]:
        path = next(about_paths(narrow, self._ground))
        if path not in self._found:
            forms = PathForms(path, path)
            self._found[path] = [at for at in self._index.candidates((forms,)) if self._tests[at](forms)]
        return self._found[path]


class _ToolNames:
    """Rules about whole tools by the name that they give."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._by_name: dict[str, list[int]] = {}
        self._starred: list[tuple[int, Wildcard]] = []
        self._texts: _Texts | None = None
        self._tool_names: dict[str, tuple[str, ...]] = {}

    def add(self, at: int, name: str) -> None:
        self._by_name.setdefault(name, []).append(at)
        if "*" in name:
            self._starred.append((at, compile_wildcard(name)))

    def candidates(self, narrow: PermissionRule) -> Iterator[int]:
        if not self._by_name:
            return
        self._texts = self._texts or _Texts(self._starred)
        name = _name(narrow)
        for wanted in (name, *self._names_of_first(narrow)):
            yield from self._by_name.get(wanted, ())
            yield from self._texts.candidates(wanted.replace("*", SOMETHING))
            if wanted.startswith("mcp__"):
                for server in _servers(wanted):
                    yield from self._by_name.get(server, ())
                    yield from self._by_name.get(f"{server}__*", ())

    def _names_of_first(self, narrow: PermissionRule) -> tuple[str, ...]:
        """By which names the first tool that the rule is about is called: whoever covers the rule covers that tool."""
        key = f"{narrow.behavior} {narrow.tool_name}"
        if key not in self._tool_names:
            tools = self._ground.tools
            first = next((tool for tool in tools if name_matches(narrow.tool_name, tool, narrow.behavior)), None)
            names = () if first is None else names_of(first)
            searches = ("Read",) if first is not None and first.name in SEARCHES else ()
            self._tool_names[key] = (*names, *searches)
        return self._tool_names[key]


def _servers(name: str) -> Iterator[str]:
    """The beginnings of a tool's name that may be its server's: ``mcp__a``, ``mcp__a__b`` …"""
    at = name.find("__", len("mcp__"))
    while at > 0:
        yield name[:at]
        at = name.find("__", at + 1)
