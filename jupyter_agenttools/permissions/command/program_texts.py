"""Programs whose first word is a program of their own: sed, awk, jq."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .arguments import sort_arguments
from .awk_program import BadProgram, check_assignment, check_awk
from .fields import Field
from .jq_filter import BadFilter, check_jq
from .parsed import TooComplex
from .places import ReadPath
from .programs import program
from .sed_script import BadScript, check_sed

if TYPE_CHECKING:
    from .follow import Call

_SED = program(
    "nErsuz",
    "el",
    "quiet silent regexp-extended separate unbuffered null-data sandbox posix debug",
    "expression line-length",
)
_AWK = program("", "Fv", "csv", "field-separator assign")
_JQ = program(
    "rcsSenRjaMCh",
    "",
    "raw-output compact-output slurp sort-keys exit-status null-input raw-input join-output ascii-output color-output "
    "monochrome-output seq stream tab unbuffered raw-output0",
    "indent",
)
_YQ_PATH = re.compile(r"(?:\.[\w.\[\]\"-]*|keys|length)(?: ?\| ?(?:\.[\w.\[\]\"-]*|keys|length))*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_JQ_NAMED = frozenset({"--arg", "--argjson"})


def _fault(field: Field, check_id: str, reason: str) -> TooComplex:
    return TooComplex(check_id, reason, field.start, field.end)


def _known(field: Field, what: str) -> str:
    if field.unknown is not None or field.pattern is not None or field.many or field.process:
        raise _fault(field, "program-text", f"{what} is not known beforehand")
    return field.text


def _named(field: Field) -> str:
    """``name=value`` of which at least the name is known."""
    if field.unknown is not None and not field.many and _ASSIGNMENT.match(field.text):
        return field.text.partition("=")[0] + "="
    return _known(field, "a variable of `awk`")


def _paths(call: Call, operands: Sequence[Field]) -> Iterator[ReadPath]:
    for field in operands:
        if field.text != "-" or field.unknown is not None:
            yield from call.places.read(field, "contents")


def sed_reads(call: Call) -> Iterator[ReadPath]:
    """What ``sed`` reads when its script only prints.

    Raises:
        TooComplex: the script or an option does more.
    """
    found = sort_arguments("sed", _SED, call.fields)
    scripts = [field for option, field in found.values if option in ("-e", "--expression")]
    operands = found.operands
    if not scripts:
        if not operands or {"--help", "--version"} & set(found.options):
            return
        scripts, operands = operands[:1], operands[1:]
    text = "\n".join(_known(field, "the script of `sed`") for field in scripts)
    try:
        check_sed(text)
    except BadScript as error:
        raise _fault(scripts[0], "program-text", f"the script of `sed`: {error}") from None
    yield from _paths(call, operands)


def awk_reads(call: Call) -> Iterator[ReadPath]:
    """What ``awk`` reads when its program only prints.

    Raises:
        TooComplex: the program or an option does more.
    """
    found = sort_arguments(call.name, _AWK, _before_program(call.fields))
    try:
        for option, field in found.values:
            if option in ("-v", "--assign"):
                check_assignment(_named(field))
        rest = call.fields[_program_at(call.fields) :]
        if not rest:
            if found.options:
                return
            raise TooComplex("program-text", "`awk` without a program", call.start, call.end)
        check_awk(_known(rest[0], "the program of `awk`"))
        operands = rest[1:]
        for field in operands:
            if _ASSIGNMENT.match(field.text):
                check_assignment(_known(field, "a variable of `awk`"))
    except BadProgram as error:
        raise TooComplex("program-text", f"the program of `awk`: {error}", call.start, call.end) from None
    yield from _paths(call, [field for field in operands if not _ASSIGNMENT.match(field.text)])


def _program_at(fields: Sequence[Field]) -> int:
    """Where the program stands: ``awk`` takes no options behind it."""
    at = 0
    while at < len(fields) and fields[at].text.startswith("-") and fields[at].text != "-":
        if fields[at].text == "--":
            return at + 1
        at += 2 if fields[at].text in ("-F", "-v", "--field-separator", "--assign") else 1
    return at


def _before_program(fields: Sequence[Field]) -> Sequence[Field]:
    return fields[: _program_at(fields)]


def jq_reads(call: Call) -> Iterator[ReadPath]:
    """What ``jq`` reads when its filter only computes from its input.

    Raises:
        TooComplex: the filter or an option reads more.
    """
    fields: list[Field] = []
    at = 0
    while at < len(call.fields):
        field = call.fields[at]
        if field.text == "--indent":  # its value is not the option that it may look like
            fields.extend(call.fields[at : at + 2])
            at += 2
        elif field.text in _JQ_NAMED and field.unknown is None:
            if any(f.many or f.pattern is not None for f in call.fields[at + 1 : at + 3]):
                raise _fault(field, "option", f"`jq {field.text}` with a text that may become several words")
            at += 3
        else:
            fields.append(field)
            at += 1
    found = sort_arguments("jq", _JQ, fields)
    if not found.operands:
        return
    try:
        check_jq(_known(found.operands[0], "the filter of `jq`"))
    except BadFilter as error:
        raise _fault(found.operands[0], "program-text", f"the filter of `jq`: {error}") from None
    yield from _paths(call, found.operands[1:])


def yq_reads(call: Call) -> Iterator[ReadPath]:
    """What ``yq`` reads; there are two programs of that name, so only plain paths are taken.

    Raises:
        TooComplex: more than a plain path.
    """
    fields = [field for field in call.fields if field.text != "-r"]
    if not fields or not _YQ_PATH.fullmatch(_known(fields[0], "the filter of `yq`")):
        raise TooComplex("program-text", "`yq` with more than a plain path", call.start, call.end)
    for field in fields[1:]:
        if field.text.startswith("-"):
            raise _fault(field, "option", f"`yq`: `{field.text}` is not on the list of options that only read")
    yield from _paths(call, fields[1:])
