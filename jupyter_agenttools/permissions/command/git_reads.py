"""Does a call of git only read?"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..look import Look
from ..roots import is_inside
from .arguments import looks_like_option
from .fields import GAP, Field
from .git_words import GIT, SECRET_KEYS, VERBS, WRITING_WORDS, GitProgram
from .links import follow
from .parsed import TooComplex
from .places import Places, ReadPath

if TYPE_CHECKING:
    from .follow import Call

_GLOBAL_FLAGS = frozenset("--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects".split())
_COUNT = re.compile(r"-\d+")
_REVERSE_ORDER = re.compile(r"-[a-z]{4,}[a-z:]*")
_SAFE_SETTING = re.compile(
    r"color\.\w+=(?:always|never|auto|true|false)|core\.quote[pP]ath=(?:true|false|off|on)|core\.pager=(?:cat)?"
    r"|log\.decorate=\w+|log\.showSignature=false|diff\.(?:noprefix|mnemonicprefix|renames)=(?:true|false)"
)
"""Settings for one call that only change how things look."""

_AFTER_HASH = re.compile(r"\0(?:[~^.:@].*)?", re.DOTALL)
_MAGIC = re.compile(r":(?:\((?:exclude|icase|glob|literal)(?:,(?:exclude|icase|glob|literal))*\)|[!^])")
_UPWARD = re.compile(r"(?:^|/)\.\.(?:/|$)")
_WORKTREE = re.compile(rb"^\s*(?:\[core[^]]*\]\s*)?worktree\s*=", re.IGNORECASE | re.MULTILINE)
_IGNORED_ELSEWHERE = re.compile(rb"ignorerevsfile\s*=\s*[\"']?(?:[~/]|[^\n]*\.\.)", re.IGNORECASE)
_MAX_CONFIG_BYTES = 200_000


def git_reads(call: Call) -> Iterator[ReadPath]:
    """What a call of git reads.

    Raises:
        TooComplex: it is not known to only read.
    """
    words = list(call.fields)
    at = 0
    places = call.places
    while at < len(words) and words[at].text.startswith("-"):
        word = _known(words[at])
        if word == "-C" and at + 1 < len(words):
            places = _moved(places, words[at + 1])
            at += 1
        elif word == "-c" and at + 1 < len(words) and _SAFE_SETTING.fullmatch(_known(words[at + 1])):
            at += 1
        elif word == "--version" or (len(words) == 1 and word in ("--help", "-h", "--exec-path")):
            return
        elif word not in _GLOBAL_FLAGS:
            raise _fault(words[at], f"`git {word}` is not on the list of options that only read")
        at += 1
    if at >= len(words):
        raise TooComplex("option", "`git` without a sub-command", call.start, call.end)
    if [field.text for field in words[at + 1 :]] == ["-h"] and _known(words[at]) in GIT:  # its usage, nothing else
        return
    program, rest = _sub_command(words[at:])
    check_repository(call.first_directory, places, words[at])
    yield from _reads(_known(words[at]), program, rest, places)


def _known(field: Field) -> str:
    if field.unknown is not None or field.pattern is not None or field.process:
        raise _fault(field, "`git` with a word that is not known beforehand")
    return field.text


def _fault(field: Field, reason: str) -> TooComplex:
    return TooComplex("option", reason, field.start, field.end)


def _moved(places: Places, field: Field) -> Places:
    _known(field)
    directories = tuple(read.path for read in places.read(field, "paths"))
    return Places(places.roots, tuple(dict.fromkeys(directories)), places.known)


def _sub_command(words: Sequence[Field]) -> tuple[GitProgram, list[Field]]:
    name, rest = _known(words[0]), list(words[1:])
    verb = rest[0].text if rest else ""
    if name in VERBS and verb in VERBS[name]:
        _known(rest[0])
        return VERBS[name][verb], rest[1:]
    program = GIT.get(name)
    if program is None or verb in WRITING_WORDS.get(name, ()) or (name == "remote" and verb and verb[0] != "-"):
        raise _fault(words[0], f"`git {name}` is not on the list of sub-commands that only read")
    return program, rest


def _reads(name: str, program: GitProgram, words: Sequence[Field], places: Places) -> Iterator[ReadPath]:
    operands, options, after_dashes = _sort(name, program, words)
    others = [*operands, *after_dashes]  # to what takes no paths, a word behind `--` is a word like any other
    if program.operands == "none" and others:
        raise _fault(others[0], f"`git {name}` takes no other words here")
    if program.operands == "one" and len(others) > 1:
        raise _fault(others[1], f"`git {name}` takes one word here")
    if program.operands == "listing" and others and program.lists.isdisjoint(options):
        raise _fault(others[0], f"`git {name} {others[0].text}` would make it, not list it")
    if operands and operands[0].text in WRITING_WORDS.get(name, ()):
        raise _fault(operands[0], f"`git {name} {operands[0].text}` is not known to only read")
    if program.operands == "config":
        return _check_config(operands, options, words)
    if program.operands == "pattern" and "-e" not in options and operands:
        if operands[0].pattern is not None:
            raise _fault(operands[0], "an unquoted wildcard as the pattern")
        operands = operands[1:]
    if "--no-index" in options and any(field.unknown is not None for field in (*operands, *after_dashes)):
        raise _fault(operands[0], "`git diff --no-index` with a path that is not known beforehand")
    for field in (*operands, *after_dashes):
        yield from _operand(field, places)
    if places.roots is not None:
        yield from places.inside(".", Field(".", 0, 0), "paths", True)


def _sort(name: str, program: GitProgram, words: Sequence[Field]) -> tuple[list[Field], list[str], list[Field]]:
    operands: list[Field] = []
    options: list[str] = []
    at = 0
    while at < len(words):
        field, word = words[at], words[at].text
        at += 1
        if word == "--":
            if dashed := next(filter(looks_like_option, words[at:]), None):
                raise _fault(dashed, f"`git {name}`: `{dashed.text}` behind `--`")
            return operands, options, list(words[at:])
        if not word.startswith("-") or word == "-":
            if word.startswith(GAP) and not _is_looked_at(field):
                raise _fault(field, f"`git {name}`: a word that may turn out to be an option")
            operands.append(field)
            continue
        word = _known(field)
        option = word.partition("=")[0] if word.startswith("--") else word
        options.append(option)
        if word in program.valued:
            at += 1
            if at > len(words) or words[at - 1].pattern is not None or words[at - 1].many:
                raise _fault(field, f"`git {name}`: the value of `{word}` is missing or a wildcard")
            is_order = word == "--sort" and _REVERSE_ORDER.fullmatch(words[at - 1].text)
            if looks_like_option(words[at - 1]) and word != "-e" and not is_order:
                raise _fault(words[at - 1], f"`git {name}`: the value of `{word}` looks like an option")
        elif not _is_listed(program, word, option):
            raise _fault(field, f"`git {name}`: `{option}` is not on the list of options that only read")
    return operands, options, []


def _is_looked_at(field: Field) -> bool:
    """Whether a word that is not known is certain to be no option: a path of a list, or a hash and what may follow."""
    if field.unknown is None or field.unknown.kind == "path":
        return field.text == GAP
    return field.unknown.kind == "hash" and _AFTER_HASH.fullmatch(field.text) is not None


def _is_listed(program: GitProgram, word: str, option: str) -> bool:
    if word in program.flags:
        return True
    if word.startswith("--"):
        return "=" in word and (option in program.flags or option in program.valued)
    if program.counts and _COUNT.fullmatch(word):
        return True
    return word[:2] in program.attached or program.cluster.issuperset(word[1:])


def _operand(field: Field, places: Places) -> Iterator[ReadPath]:
    """A revision or a path: one that could be a path has to lead to the inside."""
    if field.unknown is not None and field.unknown.kind == "path":
        yield from places.read(field)
        return
    if field.unknown is not None and field.unknown.kind == "hash" and not field.text.startswith(("/", "~", "-")):
        field = field._replace(text=field.text.replace(GAP, "0"), unknown=None)
    if field.unknown is not None and (field.many or field.text.startswith((":", "/", "~", "."))):
        raise _fault(field, "a word for git that is not known beforehand")
    if field.pattern is not None:
        yield from places.read(field)
        return
    if field.unknown is not None or field.process:
        raise _fault(field, "a word for git that is not known beforehand")
    text = field.text
    if magic := _MAGIC.match(text):
        text = text[magic.end() :]
    if text.startswith((":(", ":/")):
        raise _fault(field, "a pathspec with magic words")
    for part in dict.fromkeys((text, text.partition(":")[2])):
        could_be_path = part.startswith(("/", "~")) or _UPWARD.search(part) or "/" in part or part == text
        if part and could_be_path and not part.startswith("^"):
            yield from places.inside(part, field)


def _check_config(operands: Sequence[Field], options: Sequence[str], words: Sequence[Field]) -> Iterator[ReadPath]:
    """``git config NAME`` reads, ``git config NAME VALUE`` writes, a list may show secrets."""
    names = [field.text for field in words if not field.text.startswith("-")]
    lists = {"--list", "-l"} & set(options)
    if lists and ("--local" not in options or operands):
        raise _fault(words[0], "the whole configuration, the person's own included")
    if not lists and (len(names) != 1 or "--get-regexp" in options):
        raise TooComplex("option", "`git config` that does more than read one setting", words[0].start if words else 0)
    if any(part in name.lower() for name in names for part in SECRET_KEYS if name.lower() != "remote.origin.url"):
        raise _fault(words[0], "a setting that may hold a secret")
    return iter(())


def check_repository(start: str, places: Places, field: Field) -> None:
    """Git has to be in the repository of the directory where the command starts, whose settings are kept from running.

    Raises:
        TooComplex: another repository, or one whose work tree or own folder is elsewhere.
    """
    if places.roots is None:
        return
    known = places.known or Look()
    home = find_repository(start, known)
    for directory in places.directories:
        if not is_inside(follow(".", directory, known), places.roots):
            raise _fault(field, f"git in {directory}, outside of the working directories")
        if directory != start and find_repository(directory, known) != home:
            raise _fault(field, f"{directory} is in another repository than {start}")
    if home is not None:
        _check_own_folder(home, places.roots, field, known)


def find_repository(directory: str, known: Look) -> str | None:
    """What git finds first on its way up from ``directory``: a ``.git``, or a folder that is a repository itself."""
    folder = known.real(directory)
    while True:
        entry = os.path.join(folder, ".git")
        if known.mode(entry):
            return entry
        if os.path.isfile(os.path.join(folder, "HEAD")) and os.path.isdir(os.path.join(folder, "objects")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _check_own_folder(repository: str, roots: tuple[str, ...], field: Field, known: Look) -> None:
    real = known.real(repository)
    if stat.S_ISREG(known.mode(real)):
        with open(real, "rb") as file:
            target = file.read(4096).removeprefix(b"gitdir:").strip()
        real = known.real(os.path.join(os.path.dirname(real), os.fsdecode(target)))
    if not is_inside(real, roots):
        raise _fault(field, f"the repository's own folder is {real}, outside of the working directories")
    try:
        with open(os.path.join(real, "config"), "rb") as file:
            config = file.read(_MAX_CONFIG_BYTES)
    except OSError:
        return
    if _WORKTREE.search(config) or len(config) == _MAX_CONFIG_BYTES:
        raise _fault(field, "the repository says that its files are elsewhere")
    if _IGNORED_ELSEWHERE.search(config):  # git quotes a line of it that is no revision, and no setting undoes this one
        raise _fault(field, "the repository names a file outside as the list of revisions that `blame` skips")
