"""Is a file a memory that agents and people share, and would a text put a secret into it?

What stands in such a file is read into every conversation and is usually under version control, so a key in it is
given away at once. Only what cannot well be anything else counts: a false alarm stops honest work.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..core.errors import ToolValidationError

_SHARED_NAMES = frozenset({"claude.md", "agents.md", "gemini.md", "copilot-instructions.md", ".cursorrules"})
_SHARED_FOLDERS = frozenset({".claude", ".agents"})
_FOLDER_SUFFIXES = (".md", ".mdc", ".txt", ".json", ".yaml", ".yml")
_PERSONAL_NAMES = frozenset({"claude.local.md", "settings.local.json"})
"""Kept out of version control by those who made these names."""

_MIN_BITS = 2.5
"""Fewer bits of entropy for each character of the secret part than this has only a placeholder such as ``xxxx``."""

_PLACEHOLDER = re.compile(r"example|placeholder|your[-_]|redacted|dummy|\.\.\.|…|<|x{6}|\*{4}", re.IGNORECASE)


class Detector(NamedTuple):
    """A kind of secret.

    Attributes:
        id: stable. words: what it is. pattern: its group 1 is the part that is secret.
    """

    id: str
    words: str
    pattern: re.Pattern[str]


class Secret(NamedTuple):
    """A secret in a text.

    Attributes:
        id, words: of its detector. line: where it begins, from 1. value: the secret part.
    """

    id: str
    words: str
    line: int
    value: str


def _detector(id: str, words: str, pattern: str) -> Detector:
    return Detector(id, words, re.compile(pattern))


DETECTORS = (
    _detector(
        "secret-private-key",
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\\[nr]|[\s>#|\"'+])*(?:[A-Za-z-]+: [^\n]*\n[\s>#|]*)*([A-Za-z0-9+/=]{40})",
    ),
    _detector("secret-aws-access-key", "an AWS access key id", r"(?<![A-Z0-9])(?:AKIA|ASIA)([A-Z2-7]{16})(?![A-Z0-9])"),
    _detector(
        "secret-aws-secret-key",
        "an AWS secret access key",
        r"(?i:aws_?secret_?(?:access_?)?key)[\"']?\s*[:=]\s*[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _detector("secret-google-api-key", "a Google API key", r"(?<![\w-])AIza([\w-]{35})(?![\w-])"),
    _detector("secret-azure-key", "an Azure storage key", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    _detector("secret-github-token", "a GitHub token", r"(?<!\w)(?:gh[opsur]_|github_pat_)(\w{36,})"),
    _detector("secret-gitlab-token", "a GitLab token", r"(?<![\w-])gl(?:pat|dt|rt|ptt|soat)-([\w-]{20,})"),
    _detector("secret-slack-token", "a Slack token", r"(?<!\w)xox[abeoprs]-((?:\d+-)+[\w-]{16,})"),
    _detector(
        "secret-slack-webhook",
        "a Slack webhook",
        r"https://hooks\.slack\.com/(?:services|workflows)/(T\w{6,}/\w{6,}/\w{16,})",
    ),
    _detector("secret-anthropic-key", "an Anthropic API key", r"(?<![\w-])sk-ant-([\w-]{32,})"),
    _detector("secret-openai-key", "an OpenAI API key", r"(?<![\w-])sk-([\w-]{20,180}T3BlbkFJ[\w-]{20,})"),
    _detector("secret-stripe-key", "a live Stripe key", r"(?<!\w)[rs]k_live_(\w{24,})"),
    _detector("secret-npm-token", "an npm token", r"(?<!\w)npm_([A-Za-z0-9]{36})(?!\w)"),
    _detector("secret-pypi-token", "a PyPI token", r"(?<!\w)pypi-(AgE[\w-]{60,})"),
    _detector("secret-huggingface-token", "a Hugging Face token", r"(?<!\w)hf_([A-Za-z0-9]{34})(?!\w)"),
    _detector("secret-sendgrid-key", "a SendGrid key", r"(?<!\w)SG\.([\w-]{22}\.[\w-]{43})(?![\w-])"),
    _detector("secret-digitalocean-token", "a DigitalOcean token", r"(?<!\w)do[opr]_v1_([a-f0-9]{64})(?!\w)"),
    _detector("secret-databricks-token", "a Databricks token", r"(?<!\w)dapi([a-f0-9]{32})(?:-\d)?(?!\w)"),
    _detector("secret-age-key", "an age identity", r"AGE-SECRET-KEY-1([QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})"),
)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Everything in ``text`` that looks like a key or token, in the order of the text."""
    found = (secret for detector in DETECTORS for secret in _found(detector, text))
    return tuple(sorted(found, key=lambda secret: secret.line))


def _found(detector: Detector, text: str) -> Iterator[Secret]:
    for match in detector.pattern.finditer(text):
        if _is_random(match[1]) and not _PLACEHOLDER.search(match[1]):
            yield Secret(detector.id, detector.words, text.count("\n", 0, match.start()) + 1, match[1])


def _is_random(value: str) -> bool:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values()) >= _MIN_BITS


def is_shared_memory(path: str) -> bool:
    """Whether the file at the absolute ``path``, or what it links to, is a memory that is shared.

    Told from its name, or from a folder that is for such files.
    """
    return _names_memory(path) or _names_memory(os.path.realpath(path))


def _names_memory(path: str) -> bool:
    *folders, name = path.casefold().split("/")
    if name in _PERSONAL_NAMES:
        return False
    return name in _SHARED_NAMES or (bool(_SHARED_FOLDERS.intersection(folders)) and name.endswith(_FOLDER_SUFFIXES))


def require_no_secret(path: str, text: str, known: str = "") -> None:
    """Do nothing when ``text`` may go into the file at the absolute ``path``: it is no shared memory, or the text holds
    no secret besides those of ``known``.

    Args:
        text: what would be added, or what the file would hold. known: what it holds now.

    Raises:
        ToolValidationError: names the kind of secret and its line, never the secret. Its ``check_id`` is that of the
            detector.
    """
    if not is_shared_memory(path):
        return
    old = {secret.value for secret in find_secrets(known)}
    secret = next((secret for secret in find_secrets(text) if secret.value not in old), None)
    if secret is not None:
        raise ToolValidationError(
            f"line {secret.line} of the text holds what looks like {secret.words}, and {path} is a memory that is "
            "shared with others. Nothing was written. Leave the secret out: say where it is kept (the name of an "
            "environment variable, a secret store), and tell the person that it may have to be replaced",
            check_id=secret.id,
        )
