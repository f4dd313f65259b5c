"""Programs whose words do not follow the usual pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .fields import Field
from .odd_words import suffixed_reads
from .parsed import TooComplex
from .places import ReadPath

if TYPE_CHECKING:
    from .follow import Call

_PS_WORDS = frozenset(
    "-e -A -a -d -f -F -l -ef -eF -el -ely -elf -elF -af -Af -fe -fA -eww -efw -efww -ejH -eH -efH -j "
    "-H -w -ww -L -eLf --forest --no-headers --no-heading".split()
)
_PS_PLAIN = re.compile(r"[auxwfjlTr]+")
_PS_FORMATS = frozenset(
    "pid ppid pgid sid user uid ruser euser group gid comm cmd args ucmd %cpu pcpu %mem pmem rss rsz vsz size tty "
    "tname tt stat state s time etime etimes cputime start lstart stime "
    "nlwp ni nice pri psr f wchan c".split()
)
_PS_NAME = re.compile(r"[\w.+-]+", re.ASCII)
_TAR_FIRST = re.compile(r"-?(?=\w*t)[tvzjJa]*f|-?(?=\w*t)[tvzjJa]+|--list")
_WILD = re.compile(r"[*?\[\\]")
_UNZIP = re.compile(r"-(?=\w*[lvtpZc])[lvtpqZc12]+")
_PIP_LIST = frozenset(
    "--format=freeze --format=columns --format=json --local -l --user --not-required --editable -e --pre "
    "--exclude-editable --disable-pip-version-check --no-color --no-input --all --files -f --verbose -v".split()
)


def _words(call: Call) -> list[str]:
    for field in call.fields:
        if field.unknown is not None or field.pattern is not None or field.process:
            said = f"`{call.name}` with a word that is not known"
            raise TooComplex("expansion", said, field.start, field.end)
    return [field.text for field in call.fields]


def _fault(call: Call, word: str) -> TooComplex:
    return TooComplex("option", f"`{call.name} {word}` is not known to only read", call.start, call.end)


def tee_reads(call: Call) -> Iterable[ReadPath]:
    for word in _words(call):
        if word not in ("/dev/null", "-a", "-i"):
            raise TooComplex("operands", f"`tee` writes {word}", call.start, call.end)
    return ()


def ps_reads(call: Call) -> Iterable[ReadPath]:
    """``ps`` without what shows the environments of programs.

    At the slightest mistake in its words ``ps`` reads all of them once more as BSD options, among which ``e`` shows
    environments; so only words that cannot be a mistake are let through.
    """
    numbers = (field.unknown is not None and field.unknown.kind == "number" for field in call.fields)
    known = [f._replace(text="1", unknown=None) if n else f for f, n in zip(call.fields, numbers, strict=True)]
    words = _words(call._replace(fields=known))
    if words in (["--version"], ["-V"]):
        return ()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in _PS_WORDS or (at == 1 and _PS_PLAIN.fullmatch(word)):
            continue
        name, equals, value = word.partition("=")
        if not (equals and name in ("--sort", "--format", "--pid", "--ppid")):
            name, value, at = word, "".join(words[at : at + 1]), at + 1
        if not _is_ps_value(name, value):
            raise _fault(call, word)
    if any("L" in word for word in words) and any(word == "--forest" or "H" in word for word in words):
        raise _fault(call, "with threads in a forest")
    return ()


def _is_ps_value(name: str, value: str) -> bool:
    parts = value.split(",")
    if name in ("-o", "-eo", "-O", "--format"):
        return all(part.removesuffix("=") in _PS_FORMATS for part in parts)
    if name == "--sort":
        return all(part.lstrip("+-") in _PS_FORMATS for part in parts)
    if name in ("-p", "--pid", "--ppid"):
        return all(part.isdecimal() and part.isascii() and 0 < int(part) < 4_000_000 for part in parts)
    if name == "-u":
        return _is_user(value)
    return name == "-C" and _PS_NAME.fullmatch(value) is not None and "e" not in value


def _is_user(name: str) -> bool:
    """Whether there is a user of this name: of another, ``ps`` would make a mistake."""
    import pwd  # not there on every system

    try:
        return pwd.getpwnam(name).pw_name == name
    except KeyError:
        return False


def tar_reads(call: Call) -> Iterator[ReadPath]:
    """``tar`` that lists one archive."""
    words = _words(call)
    if len(words) < 2 or not _TAR_FIRST.fullmatch(words[0]):
        raise _fault(call, words[0] if words else "")
    rest = list(zip(words[1:], call.fields[1:], strict=True))
    if not words[0].endswith("f"):
        if rest[0][0] != "-f" or len(rest) < 2:
            raise _fault(call, words[0])
        rest = rest[1:]
    archive, *members = rest
    if ":" in archive[0] or archive[0].startswith("-") or any(word.startswith("-") for word, _ in members):
        raise _fault(call, archive[0])
    yield from call.places.read(archive[1], "files")


def unzip_reads(call: Call) -> Iterator[ReadPath]:
    words = _words(call)
    if call.name == "unzip":
        if len(words) < 2 or not _UNZIP.fullmatch(words[0]):
            raise _fault(call, words[0] if words else "")
        words, fields = words[1:], call.fields[1:]
    else:
        fields = list(call.fields)
        if words and re.fullmatch(r"-[12slmvhtTz]+", words[0]):
            words, fields = words[1:], fields[1:]
    if not words or any(word.startswith("-") for word in words) or _WILD.search(words[0]):
        raise _fault(call, "with odd words")
    yield from suffixed_reads(call.name, fields[0], call.places)
    yield from call.places.read(fields[0], "files")


def pip_reads(call: Call) -> Iterable[ReadPath]:
    words = _words(call)
    verb, rest = (words[0], words[1:]) if words else ("", [])
    if "--format" in rest[:-1]:
        at = rest.index("--format")
        rest[at : at + 2] = ["=".join(rest[at : at + 2])]
    if verb == "show":
        is_fine = all(re.fullmatch(r"[\w.-]+", w) and (w[0] != "-" or w in ("-f", "--files")) for w in rest) and rest
    else:
        is_fine = verb in ("list", "freeze", "check") and all(word in _PIP_LIST for word in rest)
    if not is_fine and words != ["help"]:
        raise _fault(call, " ".join(words[:2]))
    return ()


def look_reads(call: Call) -> Iterator[ReadPath]:
    words = _words(call)
    if not 1 <= len(words) <= 2 or any(word.startswith("-") for word in words):
        raise _fault(call, "with odd words")
    fields: list[Field] = list(call.fields[1:])
    for field in fields:
        yield from call.places.read(field, "files")


SMALL: dict[str, Callable[[Call], Iterable[ReadPath]]] = {
    "look": look_reads,
    "pip": pip_reads,
    "pip3": pip_reads,
    "ps": ps_reads,
    "tar": tar_reads,
    "tee": tee_reads,
    "unzip": unzip_reads,
    "zipinfo": unzip_reads,
}
