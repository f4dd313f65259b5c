"""What is secret goes, whatever surrounds it; what only looks odd stays."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import string
import time
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_agenttools.core.secret_blocks import redact_block, redact_message
from jupyter_agenttools.core.secret_values import names_secret
from jupyter_agenttools.core.secrets import has_secret, know_secrets, may_hold_secret, redact, redact_json

_random = random.Random(11)
WORDS = string.ascii_letters + string.digits


def made(length: int, alphabet: str = WORDS) -> str:
    """A text such as a secret has, made here so that no real one stands in this file."""
    return "".join(_random.choices(alphabet, k=length))


def _part(length: int) -> str:
    return base64.urlsafe_b64encode(_random.randbytes(length)).decode().rstrip("=")


SECRETS = {  # what is given away, and the part of it that must not stay
    "anthropic": (f"sk-ant-api03-{(key := made(80))}", key),
    "openai": (f"sk-proj-{(key := made(40))}T3BlbkFJ{made(40)}", key),
    "openrouter": (f"sk-or-v1-{(key := made(64, '0123456789abcdef'))}", key),
    "deepseek": (f"sk-{(key := '1' + made(31, '0123456789abcdef'))}", key),
    "github": (f"ghp_{(key := made(36))}", key),
    "gitlab": (f"glpat-{(key := made(20))}", key),
    "slack": (f"xoxb-{made(11, string.digits)}-{made(12, string.digits)}-{(key := made(24))}", key),
    "aws": (f"AKIA{(key := made(16, string.ascii_uppercase))}", key),
    "aws secret": (f"aws_secret_access_key={(key := made(40))}", key),
    "jwt": (f"eyJ{_part(20)}.eyJ{_part(60)}.{(key := _part(32))}", key),
    "header": (f"Authorization: Bearer {(key := made(20))}", key),
    "basic header": (f'"authorization": "Basic {(key := made(24))}"', key),
    "bearer": (f"bearer {(key := '7' + made(39))}", key),
    "key header": (f"-H 'x-api-key: {(key := made(32))}'", key),
    "url": ("postgresql://me:correct-horse@db.example.org:5432/data", "correct-horse"),
    "private key": (
        f"-----BEGIN RSA PRIVATE KEY-----\n{made(64)}\n{(key := made(64))}\n-----END RSA PRIVATE KEY-----",
        key,
    ),
}


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize(
    "around", ["{}", "before {} after", "KEY={}\nnext", "`{}`, keep it", "a\n{}\nb", '{{"k": "{}"}}']
)
def test_a_secret_goes_and_the_rest_stays(kind: str, around: str) -> None:
    text, secret = SECRETS[kind]
    whole = around.format(text)
    assert has_secret(whole)
    assert secret not in redact(whole) and "[redacted]" in redact(whole)
    before, after = around.format("\0").split("\0")
    assert redact(whole).startswith(before) and redact(whole).endswith(after)


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_seen_in_json_wherever_it_stands(kind: str) -> None:
    text, secret = SECRETS[kind]
    for data in ({"a": [{"b": f"one\n{text}"}]}, {text: 1}, [f"\t{text}\n"], {"quoted": json.dumps({"k": text})}):
        assert may_hold_secret(json.dumps(data).encode())
        assert secret not in json.dumps(redact_json(data))


@pytest.mark.parametrize(
    "text",
    [
        hashlib.sha256(b"x").hexdigest(),
        f"commit {hashlib.sha1(b'y').hexdigest()}",
        str(uuid.UUID(int=2**127 + 12345)),
        f"toolu_{made(24, '0123456789abcdef')}",
        base64.b64encode(_random.randbytes(3_000)).decode(),
        "data:image/png;base64," + base64.b64encode(_random.randbytes(300)).decode(),
        "the password is asked for by a form; set the token with `export TOKEN=…`",
        "https://example.org:8080/path@version?key=1",
        "postgres://$USER:$PASSWORD@localhost/db and postgres://{user}:{password}@{host}",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <your token>",
        "class Authorization(Base): ...",
        "sk-learn, task-force-alpha-number-nine-and-more, disk-usage-statistics-per-user",
        "sk-ant-colony-optimization, task-ant-colony-2024-run7, sk-ant-api03-..., sk-ant-api03-your-key-here",
        "hf_hub_download_url_of_version_2, npm_config_registry_of_2024, gsk_trial_number_12_of_the_study_group",
        "github_pat_of_the_user_number_1, xai-methods-for-the-year-2024-in-review, sk-proj-plan-2024-q1-and-q2",
        f"desk-{hashlib.sha1(b'z').hexdigest()}, mask-{hashlib.md5(b'z').hexdigest()[:24]}",
        "The bearer of this letter is allowed to pass without any further questions",
        "git@github.com:owner/name.git",
        "ssh://git@host.example:22/x",
        "sha512-" + base64.b64encode(_random.randbytes(64)).decode(),
        "-----BEGIN PUBLIC KEY-----\n" + made(64),
        "user:pass@host",
        f"task-{hashlib.sha256(b'z').hexdigest()}",
        "the_risk_live_update_of_all_of_the_dashboards and laughs_and_many_more_of_them_in_every_single_row",
        base64.urlsafe_b64encode(_random.randbytes(30_000)).decode(),
        base64.b32encode(_random.randbytes(3_000)).decode(),
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text and not has_secret(text)


PREFIXES = (
    "sk-ant-", "sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-",
    "sk-or-v1-", "gsk_", "xai-", "AIza", "pplx-", "nvapi-", "ghp_", "gho_", "github_pat_", "hf_", "npm_",
)  # fmt: skip


@given(
    st.sampled_from(PREFIXES), st.integers(20, 150), st.integers(0, 10_000), st.sampled_from(["", "=", "_", "'", "/"])
)
def test_a_key_of_any_length_goes(prefix: str, length: int, seed: int, before: str) -> None:
    key = "7" + "".join(random.Random(seed).choices(WORDS, k=length))
    line = f"{before}{prefix}{key} and the rest"
    assert may_hold_secret(json.dumps(line).encode())
    left = redact(line)
    assert (
        left.startswith(f"{before}{prefix[:3]}") and left.endswith("[redacted] and the rest") and key[-9:] not in left
    )


@given(st.sampled_from(PREFIXES[:4]), st.integers(9, 40), st.integers(0, 10_000))
def test_of_one_provider_even_a_short_key_goes(prefix: str, length: int, seed: int) -> None:
    key = "9aB" + "".join(random.Random(seed).choices(WORDS, k=length))
    assert key not in redact(f"key: {prefix}{key}.")


_lower = st.text(alphabet=string.ascii_lowercase, min_size=1, max_size=6)  # 32 characters are a key, words or not


@given(st.sampled_from(["ta", "de", "ri", "ma", "a", "di"]), st.sampled_from(PREFIXES), st.lists(_lower, max_size=3))
def test_words_that_look_like_the_beginning_of_a_key_stay(before: str, prefix: str, words: list[str]) -> None:
    for text in (f"{prefix}{'-'.join(words)}", f"{prefix}{'_'.join(words)}", f"{before}sk-{'-'.join(words)}-2024"):
        assert redact(text) == text


def test_a_private_key_goes_also_where_it_was_cut() -> None:
    lines = [made(64) for _ in range(20)]
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    for text in (
        "\n".join([begin, *lines, end]),
        "\n".join([begin, *lines]),
        "\n".join([*lines, end, "and more"]),
        "\\n".join([lines[0][30:], *lines[1:], end]),
        "\n".join([begin, *lines, end, "between", begin, *lines, end]),
    ):
        left = redact(text)
        assert not any(line in left for line in lines[1:]), left
        assert redact(left) == left and not has_secret(left)
    assert "between" in left and left.count(begin) == left.count(end) == 2


def test_the_value_of_a_secret_variable_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SERVICE_TOKEN", 'quoted "value" \\ of it')
    monkeypatch.setenv("DB_PASSWORD", "short")
    monkeypatch.setenv("EDITOR_NAME", "a-long-name-of-no-interest")
    text = 'it is quoted "value" \\ of it; short; a-long-name-of-no-interest'
    assert redact(text) == "it is [redacted: MY_SERVICE_TOKEN]; short; a-long-name-of-no-interest"
    assert may_hold_secret(json.dumps({"text": text}).encode())
    assert "value" not in json.dumps(redact_json({"text": text}))
    monkeypatch.delenv("MY_SERVICE_TOKEN")
    assert "value" not in redact(text)  # it is no less secret for that


def test_a_variable_counts_from_the_moment_that_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        value = made(20)
        assert redact(value) == value
        monkeypatch.setenv("CHANGING_API_KEY", value)
        assert redact(f"<{value}>") == "<[redacted: CHANGING_API_KEY]>", number


def test_variables_of_others_count_when_they_are_told() -> None:
    value = made(24)
    know_secrets({"THEIR_SECRET": value, "THEIR_FOLDER": "/some/where/else"})
    assert redact(f"{value} /some/where/else") == "[redacted: THEIR_SECRET] /some/where/else"


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("OPENAI_API_KEY", True),
        ("GITHUB_TOKEN", True),
        ("client_secret", True),
        ("PGPASSWORD", True),
        ("SSH_AUTH_SOCK", False),
        ("TOKENIZERS_PARALLELISM", False),
        ("TLS_KEY_FILE", False),
        ("MAX_OUTPUT_TOKENS", False),
        ("GIT_CONFIG_KEY_0", False),
        ("KEYBOARD", False),
        ("PATH", False),
        ("ANTHROPIC_BASE_URL", False),
    ],
)
def test_which_names_tell_of_a_secret(name: str, is_secret: bool) -> None:
    assert names_secret(name) is is_secret


def test_a_variable_that_only_says_where_a_key_is_hides_nothing(monkeypatch, tmp_path) -> None:
    key = tmp_path / "key.pem"
    key.touch()
    monkeypatch.setenv("SIGNING_KEY", str(key))
    monkeypatch.setenv("USE_AUTH", "required")
    assert redact(f"{key} is required") == f"{key} is required"


def thought(signature: str, text: str = "hm") -> dict[str, str]:
    return {"type": "thinking", "thinking": text, "signature": signature}


def image(data: str, **more: str) -> dict[str, object]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data, **more}}


IN_BASE64 = f"AKIA{made(16, string.ascii_uppercase)}"
"""A secret that is base64 text as well."""


def test_what_is_a_providers_own_stays_as_it_is() -> None:
    signed = thought(f"sk-ant-{made(60)}")
    answer = {"role": "assistant", "content": [signed, image(IN_BASE64)]}
    assert redact_message(answer) == answer
    result = {"type": "tool_result", "tool_use_id": "a", "content": [image(IN_BASE64)]}
    assert redact_block(result) == result
    changed = redact_block({**signed, "thinking": f"the key sk-ant-{made(60)}"})
    assert changed == {"type": "thinking", "thinking": "the key sk-ant-[redacted]"}


@pytest.mark.parametrize(
    "data",
    [
        {"signature": IN_BASE64},
        thought(IN_BASE64),
        image(IN_BASE64),
        {"type": "base64", "data": IN_BASE64},
        {"role": "assistant", "content": [thought(IN_BASE64), image(IN_BASE64)]},
    ],
)
def test_nothing_in_an_input_is_exempt(data: dict[str, object]) -> None:
    use = {"type": "tool_use", "id": "a", "name": "Look", "input": data}
    for kept in (redact_json(data), redact_block(use), redact_message({"role": "assistant", "content": [use]})):
        assert IN_BASE64 not in json.dumps(kept)


def test_only_an_image_is_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    key = f"sk-ant-{made(60)}"
    odd = [
        image(key),
        image("QUFB", note=key),
        image(IN_BASE64, media_type="text/plain"),
        {"type": "image", "source": [key]},
        {"type": "text", "text": "x", "signature": IN_BASE64},
        {"type": "thinking", "thinking": "", "signature": [IN_BASE64]},
    ]
    kept = json.dumps(redact_message({"role": "user", "content": odd, "signature": key}))
    assert key not in kept and IN_BASE64 not in kept
    known = made(24)
    monkeypatch.setenv("PICTURE_TOKEN", known)
    assert known not in json.dumps([redact_block(image(known)), redact_block(thought(known))])


GLUED = [each for each in SECRETS if each in "anthropic openai openrouter github gitlab slack aws jwt".split()]


@pytest.mark.parametrize("kind", GLUED)
@pytest.mark.parametrize("before", ["m-", "Nope", "my_", "claude-5-", "X9", "-", "_"])
def test_what_a_secret_is_glued_to_does_not_hide_it(kind: str, before: str) -> None:
    text, secret = SECRETS[kind]
    assert may_hold_secret(json.dumps(before + text).encode())
    assert secret not in redact(before + text) and redact(before + text).startswith(before)


def test_a_project_key_needs_no_mark_in_its_middle() -> None:
    key = "7" + made(90)
    assert key not in redact(f"x_sk-proj-{key}")


texts = st.lists(st.one_of(st.text(max_size=30), st.sampled_from([text for text, _ in SECRETS.values()])), max_size=6)


@given(texts)
def test_what_was_redacted_holds_nothing_more(parts: list[str]) -> None:
    once = redact(" ".join(parts))
    assert redact(once) == once
    assert not has_secret(once)


@given(texts, st.recursive(st.none() | st.booleans() | st.integers(), lambda c: st.lists(c, max_size=3), max_leaves=5))
def test_data_keeps_its_shape(parts: list[str], other: object) -> None:
    data = {"texts": parts, "other": other, "deep": [{"text": part} for part in parts]}
    changed = redact_json(data)
    assert changed["other"] == other and len(changed["deep"]) == len(parts)
    assert [redact(part) for part in parts] == changed["texts"]
    if not may_hold_secret(json.dumps(data).encode()):
        assert changed == data


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN PRIVATE KEY-----\n",
        "eyJaaaaaaaaaaaaaaaaaaaa.",
        "eyJ",
        "eyJa.",
        "://a:",
        "sk-",
        "sk-proj-",
        "sk-ant-",
        "sk-ant-a1-",
        " sk-ant-aaaaaaaaaaaaaaaa",
        " hf_aaaaaaaaaaaaaaaaaaaaaaa",
        "github_pat_",
        "sk-T3BlbkFJ",
        "ghp_",
        "Authorization: ",
        "xoxb-1-",
        "a:b@",
        "A-B: ",
        "-----END PRIVATE KEY-----",
        "a" * 60 + "\n-----END PRIVATE KEY-----",
    ],
)
def test_a_hostile_text_takes_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        before = time.process_time()
        redact(text)
        return time.process_time() - before

    small, big = min(seconds(200_000) for _ in range(3)), min(seconds(1_600_000) for _ in range(2))
    assert big < 40 * max(small, 0.002)


@given(st.lists(st.one_of(st.text(max_size=20), st.sampled_from([text for text, _ in SECRETS.values()])), max_size=4))
def test_a_line_that_holds_a_secret_is_never_overlooked(parts: list[str]) -> None:
    line = json.dumps(parts, ensure_ascii=False).encode("utf-8", "replace")
    seen = [may_hold_secret(line) for _ in range(3)]
    assert len(set(seen)) == 1
    assert seen[0] or not any(map(has_secret, parts))


def test_the_look_at_a_usual_line_costs_little() -> None:
    line = json.dumps({"type": "stage", "reason": "allowed by the rule", "id": f"toolu_{made(24)}", "x": "word " * 40})
    raw, repeats = line.encode(), 2_000
    assert not may_hold_secret(raw)
    before = time.process_time()
    for _ in range(repeats):
        may_hold_secret(raw)
    assert (time.process_time() - before) / repeats < 100e-6
    assert os.environ  # the environment was looked at as well
