"""The longer patterns of :mod:`.validators`."""

from __future__ import annotations

import re

JQ_DANGER = re.compile(
    r"\$ENV|(?<![\w$])(?<!(?<![.\d])\.)(?:env|import|include|system|modulemeta)(?!\w)"
    r"|\A--?(?:rawfile|slurpfile|argfile|from-file|library-path|f|L)\Z"
)
"""In a word of ``jq``: what reads the environment, other files, or loads code."""

DANGEROUS_VARIABLES = re.compile(
    r"(?<![\w$])(?!PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE)=|(?:GIT_|MAN)?PAGER=(?:cat)?\s|LESS=\s|GIT_OPTIONAL_LOCKS=0\s)"
    r"(?:PATH|LD_\w+|DYLD_\w+|PYTHON\w+|NODE_OPTIONS|NODE_PATH|PERL5\w+|RUBY\w+|GIT_\w+|BASH_ENV|ENV|PS4|"
    r"PROMPT_COMMAND|CDPATH|SHELLOPTS|BASHOPTS|GLOBIGNORE|PAGER|MANPAGER|LESS\w*|EDITOR|VISUAL|GOFLAGS|RUSTFLAGS|"
    r"RIPGREP_CONFIG_PATH|GREP_OPTIONS|TAR_OPTIONS|HOME|SHELL|TMPDIR)\+?="
)
"""Assignments to variables by which a shell or a program runs something else."""

SUBSTITUTIONS = re.compile(r"`|\$\(|\$\{|\$\[|[<>]\(|\$[A-Za-z_@*!#?0-9-]")

INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]"
)
"""Controls, blanks that are none for a shell, and signs that are not seen."""

ZSH_WORDS = re.compile(
    r"(?<![\w./-])(?:zmodload|emulate|sysopen|sysread|syswrite|sysseek|zpty|ztcp|zsocket|mapfile\[|zf_\w+|noglob|"
    r"nocorrect|autoload|zle|bindkey|zcompile|zstyle)(?![\w-])|=\(|(?<=\s)=[a-z]\w*|\(e[:'{]|\(#q|\$\{\(\w*[eF]"
)
"""Commands that load modules or code in zsh, and its spellings of running something."""

ZSH_PARTS = ("z", "=", "(", "sys", "emulate", "mapfile[", "noglob", "nocorrect", "autoload", "bindkey")
"""Parts of a text, one of which is in every text that :data:`ZSH_WORDS` finds something in."""
