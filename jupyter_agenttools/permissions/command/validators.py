"""Named checks of a command's text: what each one looks for, what it saw, and where.

None of them allows anything. Each looks at one way in which a text can mean something else to a shell than to a reader.
Where both readers of :mod:`.parse` agree on what the text means, most of them only say what they saw; ``ask`` is said
of what stays dangerous even then, and of everything suspicious in a text that was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...core.decision import DecisionStep, StepOutcome
from .parsed import TooComplex
from .script import Node, Script
from .validator_patterns import (
    DANGEROUS_VARIABLES,
    INVISIBLE,
    JQ_DANGER,
    SUBSTITUTIONS,
    ZSH_PARTS,
    ZSH_WORDS,
)

Span = tuple[int, int]


class Text(NamedTuple):
    """What a validator looks at.

    Attributes:
        text: the command. script: its tree, ``None`` when it was not understood. refusal: why it was not.
        plain: the text with everything quoted or escaped replaced by ``_``, of the same length.
    """

    text: str
    script: Script | None
    refusal: TooComplex | None
    plain: str

    def calls(self) -> Iterator[Node]:
        if self.script is not None:
            yield from self.script.calls

    def named(self, *names: str) -> Iterator[Node]:
        yield from (node for node in self.calls() if node.words and node.words[0].literal in names)


class Sight(NamedTuple):
    """What one validator saw."""

    said: str
    spans: tuple[Span, ...]
    outcome: StepOutcome = "passthrough"


Validator = Callable[[Text], Sight | None]


def _matches(pattern: re.Pattern[str], text: str) -> tuple[Span, ...]:
    return tuple(match.span() for match in pattern.finditer(text))


def _seen(pattern: re.Pattern[str], where: str, said: str, look: Text) -> Sight | None:
    """A sight of ``pattern``: harmless where the text was understood, else a reason to ask."""
    spans = _matches(pattern, where)
    return Sight(said, spans, "passthrough" if look.script is not None else "ask") if spans else None


def validate_empty(look: Text) -> Sight | None:
    if look.text.strip():
        return None
    return Sight("there is no command", ((0, len(look.text)),), "ask")


_FRAGMENT = re.compile(r"\A(?:\t|[ ]*(?:-|&&|\|\||[;|&]))|(?:&&|\|\||\|)[ \t\n]*\Z|(?<!\\)\\\Z")


def validate_incomplete_commands(look: Text) -> Sight | None:
    if look.plain.lstrip(" ")[:1] not in "\t-;|&" and look.plain.rstrip(" \t\n")[-1:] not in "|&\\":
        return None
    spans = _matches(_FRAGMENT, look.plain)
    outcome: StepOutcome = "passthrough" if look.script is not None else "ask"
    return Sight("it looks like a part of a longer command", spans, outcome) if spans else None


_QUOTED_HEREDOC = re.compile(r"\$\(\s*cat\s*<<-?\s*(?:'[^']+'|\"[^\"]+\"|\\\w+)")


def validate_safe_command_substitution(look: Text) -> Sight | None:
    spans = _matches(_QUOTED_HEREDOC, look.text)
    return Sight("a text from a quoted here-document, in which nothing is expanded", spans) if spans else None


def validate_git_commit(look: Text) -> Sight | None:
    spans = []
    for node in look.named("git"):
        words = [word.literal for word in node.words]
        if "commit" in words[1:]:
            spans.append((node.start, node.end))
    if not spans:
        return None
    risky = any(piece.kind == "sub" for node in look.named("git") for word in node.words for piece in word.pieces)
    said = "a commit whose message runs a command" if risky else "a commit with a plain message"
    return Sight(said, tuple(spans))


def validate_jq_command(look: Text) -> Sight | None:
    spans: list[Span] = []
    for node in look.named("jq"):
        for word in node.words[1:]:
            text = word.literal
            if text is None or JQ_DANGER.search(text):
                spans.append((word.start, word.end))
    return Sight("`jq` that reads the environment or other files", tuple(spans), "ask") if spans else None


_HIDDEN_FLAG = re.compile(
    r"(?:(?<=[\s])|^)(?:''|\"\")+['\"]?-|(?:(?<=\s)|^)(?:\$'|\$\"|['\"\\])-|(?<=\s)-\w*(?:['\"\\]|\$')\w*|(?<=\s)--\w*(?:['\"\\]|\$')[\w'\"\\]*"
)


def validate_obfuscated_flags(look: Text) -> Sight | None:
    return (
        None
        if "-" not in look.text
        else _seen(_HIDDEN_FLAG, look.text, "an option written with quotes or escapes", look)
    )


_QUOTED_SIGNS = re.compile(r"'[^'\n]*[;|&][^'\n]*'|\"[^\"\n]*[;|&][^\"\n]*\"")


def validate_shell_metacharacters(look: Text) -> Sight | None:
    return _seen(_QUOTED_SIGNS, look.text, "signs of the shell inside of quotes", look)


_VARIABLE_AT_REDIRECT = re.compile(r"[<>|]\s*\$\{?\w+\}?|\$\{?\w+\}?\s*[|<>]")


def validate_dangerous_variables(look: Text) -> Sight | None:
    near = _matches(_VARIABLE_AT_REDIRECT, look.plain) if "$" in look.plain else ()
    if near:
        return Sight("a variable beside a redirection or a pipe", near, "passthrough" if look.script else "ask")
    named = _matches(DANGEROUS_VARIABLES, look.plain) if "=" in look.plain else ()
    return Sight("a variable that decides what runs is set", named, "ask") if named else None


_QUOTE_IN_COMMENT = re.compile(r"(?:^|[\s;&|])#[^\n]*['\"`][^\n]*")


def validate_comment_quote_desync(look: Text) -> Sight | None:
    return _seen(_QUOTE_IN_COMMENT, look.plain, "a quote inside of a comment", look)


_NEWLINE_THEN_HASH = re.compile(r"\n[ \t]*#")


def validate_quoted_newline(look: Text) -> Sight | None:
    spans = tuple((at, at + 1) for at, sign in enumerate(look.text) if sign == "\n" and look.plain[at : at + 1] == "_")
    if not spans:
        return None
    hides = bool(_NEWLINE_THEN_HASH.search(look.text))
    return Sight("a line break inside of quotes", spans, "ask" if hides and look.script is None else "passthrough")


def validate_carriage_return(look: Text) -> Sight | None:
    spans = _matches(re.compile("\r"), look.text)
    return Sight("a carriage return, which shells and terminals read differently", spans, "ask") if spans else None


_NEWLINE = re.compile(r"\n(?=[ \t]*[^\s])")


def validate_newlines(look: Text) -> Sight | None:
    return _seen(_NEWLINE, look.plain, "a line break that begins another command", look)


_IFS = re.compile(r"\$\{?IFS\b|\bIFS=")


def validate_ifs_injection(look: Text) -> Sight | None:
    spans = _matches(_IFS, look.text)
    if not spans:
        return None
    before_read = re.compile(r"IFS=\S*\s+read\b")
    harmless = look.script is not None and len(before_read.findall(look.text)) == len(spans)
    return Sight("`IFS` changes where words end", spans, "passthrough" if harmless else "ask")


_ENVIRON = re.compile(r"/proc/[^\s'\"]*environ|/proc/\S*/(?:mem|fd|cwd|root|task)\b")


def validate_proc_environ_access(look: Text) -> Sight | None:
    unquoted = look.text.replace("'", "").replace('"', "").replace("\\", "")
    if "/proc/" not in unquoted:
        return None
    found = _matches(_ENVIRON, look.text)
    if not found and _ENVIRON.search(unquoted):
        found = ((0, len(look.text)),)
    return Sight("the environment of a process", found, "ask") if found else None


def validate_dangerous_patterns(look: Text) -> Sight | None:
    return _seen(SUBSTITUTIONS, look.text, "something is expanded or substituted", look)


_REDIRECTION = re.compile(r"(?:\d+|&)?(?:>>|>\||<>|<<<|<<-?|[<>])&?")


def validate_redirections(look: Text) -> Sight | None:
    if look.script is None:
        return _seen(_REDIRECTION, look.plain, "a redirection", look)
    spans: list[Span] = []
    writes = False
    for node in look.script.nodes:
        for redirect in node.redirects:
            spans.append((redirect.start, redirect.end))
            target = redirect.target.literal
            writes = writes or (">" in redirect.operator and target not in ("/dev/null", "1", "2", "-"))
    if not spans:
        return None
    return Sight("a redirection writes a file" if writes else "redirections that write nothing", tuple(spans),
                 "ask" if writes else "passthrough")  # fmt: skip


_ESCAPED_BLANK = re.compile(r"\\[ \t]")


def validate_backslash_escaped_whitespace(look: Text) -> Sight | None:
    return _seen(_ESCAPED_BLANK, look.text, "an escaped blank, which joins two words", look)


_ESCAPED_OPERATOR = re.compile(r"\\[;|&<>()]")


def validate_backslash_escaped_operators(look: Text) -> Sight | None:
    return _seen(_ESCAPED_OPERATOR, look.text, "an escaped operator, which is a plain sign", look)


def validate_unicode_whitespace(look: Text) -> Sight | None:
    if look.text.isascii() and look.text.isprintable():
        return None
    spans = _matches(INVISIBLE, look.text)
    return Sight("a sign that looks like a blank, or like nothing", spans, "ask") if spans else None


_MID_HASH = re.compile(r"(?<=[^\s;&|(])#")


def validate_mid_word_hash(look: Text) -> Sight | None:
    return _seen(_MID_HASH, look.plain, "`#` inside of a word, where it begins no comment", look)


_BRACES = re.compile(r"\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}")


def validate_brace_expansion(look: Text) -> Sight | None:
    return _seen(_BRACES, look.plain, "braces that become several words", look)


def validate_zsh_dangerous_commands(look: Text) -> Sight | None:
    if not any(part in look.plain for part in ZSH_PARTS):
        return None
    spans = _matches(ZSH_WORDS, look.plain)
    return Sight("a command or sign of zsh that loads or runs code", spans, "ask") if spans else None


_ODD_REFUSALS = frozenset(
    {"unclosed-quote", "malformed", "grammar-error", "readers-differ", "gap", "hidden-substitution"}
)


def validate_malformed_token_injection(look: Text) -> Sight | None:
    if look.refusal is None or look.refusal.check_id not in _ODD_REFUSALS:
        return None
    return Sight(look.refusal.reason, (look.refusal.span,), "ask")


VALIDATORS: dict[str, Validator] = {
    "validateEmpty": validate_empty,
    "validateIncompleteCommands": validate_incomplete_commands,
    "validateSafeCommandSubstitution": validate_safe_command_substitution,
    "validateGitCommit": validate_git_commit,
    "validateJqCommand": validate_jq_command,
    "validateObfuscatedFlags": validate_obfuscated_flags,
    "validateShellMetacharacters": validate_shell_metacharacters,
    "validateDangerousVariables": validate_dangerous_variables,
    "validateCommentQuoteDesync": validate_comment_quote_desync,
    "validateQuotedNewline": validate_quoted_newline,
    "validateCarriageReturn": validate_carriage_return,
    "validateNewlines": validate_newlines,
    "validateIFSInjection": validate_ifs_injection,
    "validateProcEnvironAccess": validate_proc_environ_access,
    "validateDangerousPatterns": validate_dangerous_patterns,
    "validateRedirections": validate_redirections,
    "validateBackslashEscapedWhitespace": validate_backslash_escaped_whitespace,
    "validateBackslashEscapedOperators": validate_backslash_escaped_operators,
    "validateUnicodeWhitespace": validate_unicode_whitespace,
    "validateMidWordHash": validate_mid_word_hash,
    "validateBraceExpansion": validate_brace_expansion,
    "validateZshDangerousCommands": validate_zsh_dangerous_commands,
    "validateMalformedTokenInjection": validate_malformed_token_injection,
}
"""Every validator by its stable name, in the order in which they look."""

_SIGNS: dict[str, str] = {
    "validateSafeCommandSubstitution": "$",
    "validateObfuscatedFlags": "'\"\\",
    "validateShellMetacharacters": ";|&",
    "validateDangerousVariables": "$=",
    "validateCommentQuoteDesync": "#",
    "validateQuotedNewline": "\n",
    "validateCarriageReturn": "\r",
    "validateNewlines": "\n",
    "validateIFSInjection": "I",
    "validateProcEnvironAccess": "/",
    "validateDangerousPatterns": "`$(",
    "validateRedirections": "<>",
    "validateBackslashEscapedWhitespace": "\\",
    "validateBackslashEscapedOperators": "\\",
    "validateMidWordHash": "#",
    "validateBraceExpansion": "{",
}
"""Signs without which a validator has nothing to look at."""

_PROGRAMS = {"validateGitCommit": "git", "validateJqCommand": "jq"}
"""Programs without a call of which a validator has nothing to look at."""

_CHECKS = tuple(
    (at, name, check, frozenset(_SIGNS.get(name, "")), _PROGRAMS.get(name))
    for at, (name, check) in enumerate(VALIDATORS.items())
)

NOTHING_SEEN: dict[str, DecisionStep] = {name: DecisionStep(name, "passthrough", "nothing seen") for name in VALIDATORS}


def validate(text: str, script: Script | None, refusal: TooComplex | None) -> list[DecisionStep]:
    """What every validator says of a command, as steps of the decision.

    Args:
        text: the command. script: its tree, when it was understood. refusal: why it was not.
    """
    look = Text(text, script, refusal, _plain(text))
    signs, programs = set(text), {node.words[0].literal for node in look.calls() if node.words}
    steps = list(NOTHING_SEEN.values())
    for at, name, check, needed, program in _CHECKS:
        if (needed and signs.isdisjoint(needed)) or (program is not None and program not in programs):
            continue
        if (sight := check(look)) is not None:
            steps[at] = DecisionStep(name, sight.outcome, sight.said, spans=sight.spans)
    return steps


_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\$`]|\\.|\$(?![\w({]))*\"|\\.", re.DOTALL)


def _plain(text: str) -> str:
    return _QUOTED.sub(lambda match: "_" * len(match.group()), text) if _HAS_QUOTE.search(text) else text


_HAS_QUOTE = re.compile(r"['\"\\]")
