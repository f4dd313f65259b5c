"""Which places may a command write, in every reading of it?

Where :mod:`.writes` follows a line step by step and stops at the first thing that it cannot follow, this looks at every
call that can be found, from every folder that the line may be in by then. For what must not be missed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from .all_readings import AllReadings
from .handed import find_starts
from .spellings import forms_of
from .wrappers import Argv, program_name
from .writes import copied, writes_files, written_by_call

_INPUT = frozenset({"<", "<&", "<<", "<<-"})
_SED_FILE = re.compile(r"[wW][ \t]*([^\n;}]+)")
_AWK_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_AWK_OPEN = re.compile(r"\bprintf?\b[^;}\n]*>>?\s*[A-Za-z_($]")
_AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
_UNPACKS = re.compile(r"-?[A-Za-z]*x[A-Za-z]*|--(?:extract|get)")
_RECURSIVE = re.compile(r"-[A-Za-z]*[rRa][A-Za-z]*|--(?:recursive|archive)")
_WHOLE = frozenset({"mv", "rsync"})
_LISTERS = frozenset({"fd", "fdfind", "find", "git", "grep", "ls", "rg"})
_PRINTERS = frozenset({"echo", "printf", "seq"})
_TESTS = frozenset({"-name", "-iname"})
_TURNS = frozenset({"!", "-not", "-o", "-or", ",", "-path", "-wholename", "-ipath", "-regex", "-iregex"})


class Touched(NamedTuple):
    """A place that a command may write.

    Attributes:
        path: absolute, as it is written; ``None`` where it cannot be known.
        shown: as a reason names it.
        kind: ``file``: that very place. ``tree``: anything below it too. ``into``: new files below it, of names
            that are not known. ``named``: what is below it and has one of ``names``. ``copy``: with what is in
            ``source``. ``shown``: what is below it, but for what is hidden.
        certain: it is written if this call is made.
    """

    path: str | None
    shown: str
    kind: Literal["file", "tree", "into", "named", "copy", "shown"] = "file"
    names: tuple[str, ...] = ()
    source: str = ""
    certain: bool = True


def any_writes(command: str, cwd: str, environment: Mapping[str, str]) -> Iterator[Touched]:
    """Every place that the command may write, each in every reading.

    Args:
        cwd: absolute path in which it would run. environment: the variables that its shell starts with.
    """
    forms = forms_of(command)
    look = _Writes(forms, cwd, environment, "dotglob" in command)
    found = [*look.redirected(), *(touched for argv, _ in forms.calls for touched in look.called(argv))]
    runs = [name for argv, _ in forms.calls if (name := program_name(argv[0])) in ("find", "xargs")]
    if "xargs" in runs:
        found.extend(look.handed_on())
    if found and look.is_lost:
        found.append(Touched(None, command))
    is_clear = not runs and (look.folders is None or len(look.folders) == 1)
    yield from found if is_clear else (touched._replace(certain=False) for touched in found)


class _Writes(AllReadings):
    def redirected(self) -> Iterator[Touched]:
        for operator, text in self.forms.targets:
            if operator not in _INPUT and not text.isdigit() and text not in ("-", "/dev/null"):
                yield from self.places(text, text)

    def places(self, text: str, shown: str) -> Iterator[Touched]:
        for directory in self.directories():
            paths = self.paths(text, directory)
            if paths is None:
                yield Touched(None, shown)
                return
            yield from (Touched(path, shown) for path in paths)

    def called(self, argv: Argv) -> Iterator[Touched]:
        name = program_name(argv[0])
        if name in ("tar", "bsdtar", "unzip", "cpio", "patch"):
            yield from self.unpacked(name, argv)
        elif name in _AWKS:
            yield from self.in_awk(argv)
        elif writes_files(name):
            shown = " ".join(argv)
            for directory in self.directories():
                words, unclear = self.words(argv[1:], directory)
                yield from self.named(name, argv, words, directory, shown)
                if unclear and _unclear_target(name, argv):
                    yield Touched(None, shown)
            if name == "sed":
                yield from self.in_sed(argv)

    def named(self, name: str, argv: Argv, words: list[str], directory: str, shown: str) -> Iterator[Touched]:
        names = _asked_names(words) if name == "find" else ()
        starts = {os.path.normpath(os.path.join(directory, start)) for start in find_starts(words)} if names else set()
        for path, tree in written_by_call(name, words, directory):
            whole = os.path.normpath(os.path.join(directory, path))
            kind: Literal["file", "tree", "named"] = "named" if whole in starts else "tree" if tree else "file"
            yield Touched(whole, shown, kind, names)
        sources, last = copied(name, words)
        carries = name in _WHOLE or any(map(_RECURSIVE.fullmatch, words))
        folder = os.path.join(directory, last)
        for source in sources if last else ():
            given = os.path.join(directory, source)
            if name == "ln":
                for at in (directory, folder):
                    yield Touched(os.path.normpath(os.path.join(at, source)), shown, "into", certain=False)
            elif carries and os.path.isdir(given):
                inner = "" if source.endswith(("/", "/.")) else os.path.basename(os.path.normpath(source))
                at = os.path.join(folder, inner) if os.path.isdir(folder) else folder
                yield Touched(os.path.normpath(at), shown, "copy", (), given)
            elif carries and not os.path.lexists(given):
                yield Touched(os.path.normpath(folder), shown, "into")

    def unpacked(self, name: str, argv: Argv) -> Iterator[Touched]:
        if name in ("tar", "bsdtar") and not any(map(_UNPACKS.fullmatch, argv[1:2] + argv[2:])):
            return
        if "-t" in argv or (name == "unzip" and "-l" in argv):
            return
        targets = [argv[at + 1] for at, word in enumerate(argv[:-1]) if word in ("-C", "-d", "-D", "--directory")]
        targets += [word.partition("=")[2] for word in argv if word.startswith("--directory=")]
        for target in targets or ["."]:
            for touched in self.places(target, " ".join(argv)):
                yield touched._replace(kind="into")

    def in_sed(self, argv: Argv) -> Iterator[Touched]:
        for word in argv[1:]:
            for match in _SED_FILE.finditer(word) if "w" in word or "W" in word else ():
                for start in range(len(match[1])):
                    if start == 0 or match[1][start - 1] in "wW \t":
                        yield from self.known(match[1][start:].strip(), " ".join(argv))

    def in_awk(self, argv: Argv) -> Iterator[Touched]:
        shown = " ".join(argv)
        for word in argv[1:]:
            texts = _AWK_TEXT.findall(word) if ">" in word or "|" in word else []
            for text in (*texts, "".join(texts)):
                yield from self.known(text, shown)
            if _AWK_OPEN.search(word):
                yield Touched(None, shown)

    def handed_on(self) -> Iterator[Touched]:
        """What ``xargs`` hands to a program that writes: what is named or found by the calls beside it."""
        runs = [argv for argv, _ in self.forms.calls if program_name(argv[0]) == "xargs"]
        inner = {program_name(word) for argv in runs for word in argv[1:]}
        if not any(map(writes_files, inner)):
            return
        beside = [argv for argv, _ in self.forms.calls if program_name(argv[0]) in _LISTERS]
        if not beside and not any(program_name(argv[0]) in _PRINTERS for argv, _ in self.forms.calls):
            yield Touched(None, " ".join(runs[0]))
        for argv in beside:
            for directory in self.directories():
                yield from self.listed(argv, directory)

    def listed(self, argv: Argv, directory: str) -> Iterator[Touched]:
        name, shown = program_name(argv[0]), " ".join(argv)
        words, unclear = self.words(argv[1:], directory)
        if unclear:
            yield Touched(None, shown)
        starts = find_starts(words) if name == "find" else [word for word in words if not word.startswith("-")]
        names = _asked_names(words) if name == "find" else ()
        whole = name in ("find", "grep") or "-A" in words or "--hidden" in words
        found = [os.path.normpath(os.path.join(directory, start)) for start in starts]
        if not any(map(os.path.lexists, found)):
            found.append(directory)
        for path in found:
            if not os.path.isdir(path):
                yield Touched(path, shown)
            elif name == "ls" and "-R" not in words:
                yield from (Touched(entry.path, shown) for entry in os.scandir(path) if not entry.is_dir())
            else:
                yield Touched(path, shown, "named" if names else "tree" if whole else "shown", names)

    def known(self, text: str, shown: str) -> Iterator[Touched]:
        if text and "\0" not in text:
            for directory in self.directories():
                yield Touched(os.path.normpath(os.path.join(directory, text)), shown, certain=False)


def _asked_names(words: list[str]) -> tuple[str, ...]:
    """What ``find`` asks the names of what it finds to be; nothing when others may be found as well."""
    if not _TURNS.isdisjoint(words):
        return ()
    return tuple(words[at + 1] for at, word in enumerate(words[:-1]) if word in _TESTS)


def _unclear_target(name: str, argv: Argv) -> bool:
    """Whether a word that is not known may be what is written."""
    if name == "find":
        return any(word.startswith(("-exec", "-ok", "-fprint", "-delete")) for word in argv)
    if name in ("sed", "perl"):
        return any(re.fullmatch(r"-[A-Za-z0-9]*i.*|--in-place.*", word) for word in argv)
    return True
