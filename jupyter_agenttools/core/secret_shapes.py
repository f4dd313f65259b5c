"""Which texts have the shape of a key, a token or a password? The one list of shapes.

``CERTAIN`` cannot well be anything else: what holds one is kept out of shared memories. ``LIKELY`` is taken out of what
is kept on disk as well, where a false alarm costs a few characters and stops nothing. A hash, a uuid or the base64 text
of an image is none of them. What comes right before a shape that no word or hash has (``sk-ant-``, ``ghp_``) does not
matter: keys are glued to names in file names, ids and texts that were joined.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

MIN_BITS = 2.5
"""Fewer bits of entropy for each character of the secret part than this has only a placeholder such as ``xxxx``."""

_PLACEHOLDER = re.compile(r"example|placeholder|your[-_]|redacted|dummy|\.\.\.|…|<|x{6}|\*{4}", re.IGNORECASE)
_LONGEST_KEY = 20_000
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{40}")
_OF_A_KEY = f"{string.ascii_letters}{string.digits}+/=>#|\"',\\ \t\r\n"
"""What a private key in any quotation consists of."""
_LOOKED_AT = 200
"""Characters at the beginning of a secret by which it is judged; a private key can have thousands."""


class Detector(NamedTuple):
    """A kind of secret.

    Attributes:
        id: stable. words: what it is. pattern: its group 1 is the part that is secret.
        anchors: texts one of which every match holds: a text without any of them needs no closer look.
        min_bits: the least entropy for each character.
        before: the secret is what stands before a match, and not in it.
    """

    id: str
    words: str
    pattern: str
    anchors: tuple[str, ...]
    min_bits: float = MIN_BITS
    before: bool = False


class Found(NamedTuple):
    """Where a secret is in a text: characters ``[start, end)``, where what belongs to it begins, and its kind."""

    begin: int
    start: int
    end: int
    detector: Detector


class Secret(NamedTuple):
    """A secret in a text.

    Attributes:
        id, words: of its detector. line: where it begins, from 1. value: the secret part.
    """

    id: str
    words: str
    line: int
    value: str


def _detector(id: str, words: str, anchors: str, pattern: str, min_bits: float = MIN_BITS) -> Detector:
    return Detector(id, words, pattern, tuple(anchors.split("|")), min_bits)


CERTAIN = (
    _detector(
        "secret-private-key",
        "a private key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\\[nr]|[\s>#|\"'+])*(?:[A-Za-z-]+: [^\n]*\n[\s>#|]*)*"
        r"([A-Za-z0-9+/=]{40}[A-Za-z0-9+/=>#|\"',\\\s]{0,20000})",
    ),
    _detector(
        "secret-aws-access-key",
        "an AWS access key id",
        "AKIA|ASIA",
        r"(?:AKIA|ASIA)([A-Z2-7]{16})(?![A-Z0-9])",
    ),
    _detector(
        "secret-aws-secret-key",
        "an AWS secret access key",
        "aws|AWS|Aws",
        r"(?i:aws_?secret_?(?:access_?)?key)[\"']?\s*[:=]\s*[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _detector("secret-google-api-key", "a Google API key", "AIza", r"AIza([\w-]{35})(?![\w-])"),
    _detector("secret-azure-key", "an Azure storage key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    _detector(
        "secret-github-token",
        "a GitHub token",
        "ghp_|gho_|ghs_|ghu_|ghr_|github_pat_",
        r"(?:(?<!\w)|(?=gh[opsur]_[A-Za-z0-9]{36}|github_pat_))(?:gh[opsur]_|github_pat_)(\w{36,})",
    ),
    _detector(
        "secret-gitlab-token",
        "a GitLab token",
        "glpat-|gldt-|glrt-|glptt-|glsoat-",
        r"gl(?:pat|dt|rt|ptt|soat)-([\w-]{20,})",
    ),
    _detector("secret-slack-token", "a Slack token", "xox", r"xox[abeoprs]-((?:\d+-)+[\w-]{16,})"),
    _detector(
        "secret-slack-webhook",
        "a Slack webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/(?:services|workflows)/(T\w{6,}/\w{6,}/\w{16,})",
    ),
    _detector("secret-anthropic-key", "an Anthropic API key", "sk-ant-", r"sk-ant-([\w-]{32,})"),
    _detector("secret-openai-key", "an OpenAI API key", "T3BlbkFJ", r"sk-([\w-]{20,180}T3BlbkFJ[\w-]{20,})"),
    _detector("secret-openrouter-key", "an OpenRouter key", "sk-or-", r"sk-or-v\d-([a-f0-9]{64})(?!\w)"),
    _detector("secret-groq-key", "a Groq key", "gsk_", r"gsk_([A-Za-z0-9]{52})(?!\w)"),
    _detector("secret-xai-key", "an xAI key", "xai-", r"xai-([A-Za-z0-9]{80})(?!\w)"),
    _detector(
        "secret-stripe-key",
        "a live Stripe key",
        "k_live_",
        r"(?:(?<!\w)|(?=.k_live_[A-Za-z0-9]{24}))[rs]k_live_(\w{24,})",
    ),
    _detector("secret-npm-token", "an npm token", "npm_", r"npm_([A-Za-z0-9]{36})(?!\w)"),
    _detector("secret-pypi-token", "a PyPI token", "pypi-AgE", r"pypi-(AgE[\w-]{60,})"),
    _detector("secret-huggingface-token", "a Hugging Face token", "hf_", r"hf_([A-Za-z0-9]{34})(?!\w)"),
    _detector("secret-sendgrid-key", "a SendGrid key", "SG.", r"SG\.([\w-]{22}\.[\w-]{43})(?![\w-])"),
    _detector("secret-digitalocean-token", "a DigitalOcean token", "_v1_", r"do[opr]_v1_([a-f0-9]{64})(?!\w)"),
    _detector("secret-databricks-token", "a Databricks token", "dapi", r"dapi([a-f0-9]{32})(?:-\d)?(?!\w)"),
    _detector(
        "secret-age-key",
        "an age identity",
        "AGE-SECRET-KEY-1",
        r"AGE-SECRET-KEY-1([QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})",
    ),
)

LIKELY = (
    _detector(
        "secret-openai-project-key",
        "an OpenAI API key",
        "sk-proj-|sk-svcacct-|sk-admin-",
        r"sk-(?:proj|svcacct|admin)-(?=[A-Za-z_-]{0,64}\d)([\w-]{32,})",
        3.0,
    ),
    Detector(
        "secret-private-key-end",
        "the end of a private key",  # of one whose beginning was cut off, in the tail of an output, say
        r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY",
        ("PRIVATE KEY",),
        before=True,
    ),
    _detector(
        "secret-jwt",
        "a signed web token",
        "eyJ",
        r"(?<![\w-])[\w-]{0,64}?(eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{16,4000})",
    ),
    _detector(
        "secret-authorization",
        "the value of an authorization header",
        "uthorization|UTHORIZATION",
        r"(?i:authorization)[\"'\\]{0,4}\s{0,4}[:=,]\s{0,4}[\"'\\]{0,4}(?i:bearer|basic|token|apikey)\s{1,4}"
        r"([\w.~+/-]{8,8000}={0,2})",
        2.0,
    ),
    _detector(
        "secret-bearer",
        "a bearer token",
        "Bearer |bearer ",
        r"(?<!\w)[Bb]earer (?=[\w.~+/-]{0,400}\d)([\w.~+/-]{24,8000}={0,2})",
        3.0,
    ),
    _detector(
        "secret-key-header",
        "the value of a key header",
        "pi-key|pi-Key|PI-KEY",
        r"(?i:x-(?:goog-)?api-key)[\"'\\]{0,4}\s{0,4}[:=,]\s{0,4}[\"'\\]{0,4}([\w.~+/-]{12,500}={0,2})",
    ),
    _detector(
        "secret-url-password",
        "the password of a URL",
        "://",
        r"://[^\s/@:\"'<>\\]{0,128}:([^\s/@\"'<>\\$\{%*\[][^\s/@\"'<>\\]{2,512})@(?=[\w\[])",
        0.0,
    ),
    _detector("secret-google-token", "a Google access token", "ya29.", r"ya29\.([\w-]{30,2000})"),
    _detector(
        "secret-sk-key",
        "an API key",
        "sk-",
        r"(?<![A-Za-z0-9])sk-(?=[A-Za-z]{0,64}\d)([A-Za-z0-9]{20,200})(?![\w-])",
        3.0,
    ),
    # Below: the well-known beginnings before a key of another length than usual. A word that only begins alike has no
    # digit in it, or is made of short words; where a longer word ends so (`task-ant-…`) there is no key either.
    _detector(
        "secret-anthropic-key-of-any-length",
        "an Anthropic API key",
        "sk-ant-",
        r"(?<![A-Za-z0-9])sk-ant-(?:[a-z]{1,12}\d{1,3}-|(?![a-z]{1,12}\d{1,3}-))"
        r"(?=[\w-]{0,64}?(?:\d|[a-z][A-Z]))([\w-]{8,})",
    ),
    _detector(
        "secret-openai-key-of-any-length",
        "an OpenAI API key",
        "sk-proj-|sk-svcacct-|sk-admin-",
        r"(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin)-(?=[\w-]{0,64}?[A-Za-z0-9]{12})(?=[A-Za-z_-]{0,64}\d)([\w-]{12,})",
        3.0,
    ),
    _detector(
        "secret-provider-key",
        "a provider's API key",
        "sk-|gsk_|xai-|AIza|pplx-|nvapi-",
        r"(?<![A-Za-z0-9])(?:sk-or-v\d-|gsk_|xai-|AIza|pplx-|nvapi-)"
        r"(?=[\w-]{0,64}?[A-Za-z0-9]{12})(?=[A-Za-z_-]{0,64}\d)([\w-]{20,})",
        3.0,
    ),
    _detector(
        "secret-token-of-any-length",
        "a token",
        "ghp_|gho_|ghs_|ghu_|ghr_|github_pat_|hf_|npm_",
        r"(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_|hf_|npm_)"
        r"(?=\w{0,64}?[A-Za-z0-9]{16})(?=[A-Za-z_]{0,64}\d)(\w{20,})",
        3.0,
    ),
)

SHAPES = (*CERTAIN, *LIKELY)
ANCHORS = tuple(dict.fromkeys(anchor for detector in SHAPES for anchor in detector.anchors))


def find_shapes(text: str, detectors: Sequence[Detector] = SHAPES) -> Iterator[Found]:
    """Every place of ``text`` that has the shape of a secret, kind after kind; the time is linear in its length."""
    for detector in detectors:
        if any(anchor in text for anchor in detector.anchors):
            for begin, start, end in (_before if detector.before else _inside)(_compiled(detector.pattern), text):
                if _is_real(text[start : min(end, start + _LOOKED_AT)], detector.min_bits):
                    yield Found(begin, start, end, detector)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Few sessions ever see a text with the anchor of most of the shapes."""
    return re.compile(pattern)


def _inside(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, int]]:
    for match in pattern.finditer(text):
        yield match.start(), *match.span(1)


def _before(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, int]]:
    """The lines of base64 text right before each match; no character is looked at twice."""
    done = 0
    for match in pattern.finditer(text):
        stretch = text[max(done, match.start() - _LONGEST_KEY) : match.start()]
        run = stretch[len(stretch.rstrip(_OF_A_KEY)) :]
        if (key := _KEY_LINE.search(run)) is not None:
            start = match.start() - len(run) + key.start()
            yield start, start, match.start()
        done = match.end()


def find_secrets(text: str, detectors: Sequence[Detector] = CERTAIN) -> tuple[Secret, ...]:
    """Everything in ``text`` that cannot well be anything but a key or token, in the order of the text."""
    found: Iterable[Found] = sorted(find_shapes(text, detectors), key=lambda each: each.start)
    return tuple(
        Secret(each.detector.id, each.detector.words, text.count("\n", 0, each.begin) + 1, text[each.start : each.end])
        for each in found
    )


def _is_real(value: str, min_bits: float) -> bool:
    return not _PLACEHOLDER.search(value) and _bits(value) >= min_bits


def _bits(value: str) -> float:
    """The entropy of each character."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
