"""Secrets that must not go into memories that are shared."""

from __future__ import annotations

import random
import string
from pathlib import Path

import pytest

from jupyter_agenttools.core.errors import ToolValidationError
from jupyter_agenttools.core.secret_shapes import CERTAIN, find_secrets
from jupyter_agenttools.files.memory import is_shared_memory, require_no_secret

_random = random.Random(7)


def made(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """A text such as a secret has, made here so that no real one stands in this file."""
    return "".join(_random.choices(alphabet, k=length))


BASE64 = string.ascii_letters + string.digits + "+/"
KEY = f"-----BEGIN {{}}PRIVATE KEY-----\n{made(64, BASE64)}\n{made(64, BASE64)}\n-----END {{}}PRIVATE KEY-----\n"
SECRETS = {
    "secret-private-key": [
        KEY.replace("{}", "RSA "),
        KEY.replace("{}", "OPENSSH "),
        KEY.replace("{}", ""),
        KEY.replace("{}", "").replace("\n", "\\n"),
        KEY.replace("{}", "").replace("\n", "\n    "),
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{made(64, BASE64)}\n",
    ],
    "secret-aws-access-key": ["AKIA" + made(16, string.ascii_uppercase)],
    "secret-aws-secret-key": [f"aws_secret_access_key = {made(40, BASE64)}", f'"AwsSecretKey": "{made(40, BASE64)}"'],
    "secret-google-api-key": ["AIza" + made(35)],
    "secret-azure-key": [f"AccountName=a;AccountKey={made(86)}==;"],
    "secret-github-token": ["ghp_" + made(36), "github_pat_" + made(82)],
    "secret-gitlab-token": ["glpat-" + made(20)],
    "secret-slack-token": [f"xoxb-{made(11, string.digits)}-{made(12, string.digits)}-{made(24)}"],
    "secret-slack-webhook": [f"https://hooks.slack.com/services/T{made(8)}/B{made(8)}/{made(24)}"],
    "secret-anthropic-key": ["sk-ant-api03-" + made(80)],
    "secret-openai-key": [f"sk-proj-{made(40)}T3BlbkFJ{made(40)}"],
    "secret-openrouter-key": ["sk-or-v1-" + made(64, "0123456789abcdef")],
    "secret-groq-key": ["gsk_" + made(52)],
    "secret-xai-key": ["xai-" + made(80)],
    "secret-stripe-key": ["sk_live_" + made(24)],
    "secret-npm-token": ["npm_" + made(36)],
    "secret-pypi-token": ["pypi-AgE" + made(100)],
    "secret-huggingface-token": ["hf_" + made(34)],
    "secret-sendgrid-key": [f"SG.{made(22)}.{made(43)}"],
    "secret-digitalocean-token": ["dop_v1_" + made(64, "0123456789abcdef")],
    "secret-databricks-token": ["dapi" + made(32, "0123456789abcdef")],
    "secret-age-key": ["AGE-SECRET-KEY-1" + made(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")],
}  # fmt: skip


def test_every_detector_is_tried() -> None:
    assert list(SECRETS) == [detector.id for detector in CERTAIN]


@pytest.mark.parametrize("id", SECRETS)
def test_secrets_are_found_wherever_they_stand(id: str) -> None:
    for secret in SECRETS[id]:
        for text in (secret, f"# Notes\n\nThe key is `{secret}`, keep it.\n", f"KEY={secret}\n"):
            found = find_secrets(text)
            assert [one.id for one in found] == [id], text
            assert found[0].line == text.count("\n", 0, text.index(secret.split("\n")[0])) + 1


@pytest.mark.parametrize(
    "text",
    [
        "Never write lines that begin with -----BEGIN RSA PRIVATE KEY----- into this file.",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\n" + made(64, BASE64),
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = $AWS_SECRET_ACCESS_KEY",
        "ghp_" + "x" * 36,
        "ghp_" + "0123" * 2,
        "export ANTHROPIC_API_KEY=sk-ant-...",
        "sk-ant-your-key-goes-here-your-key-goes-here",
        "commit 1f3870be274f6c49b3e31a0c6728957f9a0b1c2d",
        "sha256:" + made(64, "0123456789abcdef"),
        "the AKIA prefix; npm_config_registry; hf_hub_download(repo_id)",
        "3e25960a-79db-49b6-9b9d-2f1c1a8e9f00",
    ],
)
def test_other_text_is_no_secret(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    ("path", "shared"),
    [
        ("/p/CLAUDE.md", True),
        ("/p/sub/claude.md", True),
        ("/p/AGENTS.md", True),
        ("/p/.claude/memory/notes.md", True),
        ("/p/.claude/settings.json", True),
        ("/p/.github/copilot-instructions.md", True),
        ("/p/CLAUDE.local.md", False),
        ("/p/.claude/settings.local.json", False),
        ("/p/README.md", False),
        ("/p/keys/id_rsa", False),
        ("/p/my.claude/notes.md", False),
    ],
)
def test_which_files_are_shared(path: str, shared: bool) -> None:
    assert is_shared_memory(path) is shared


def test_a_secret_is_refused_there_and_not_repeated(tmp_path: Path) -> None:
    secret = "ghp_" + made(36)
    path = str(tmp_path / "CLAUDE.md")
    with pytest.raises(ToolValidationError, match="line 2") as refused:
        require_no_secret(path, f"token:\n{secret}")
    assert refused.value.check_id == "secret-github-token" and secret not in refused.value.message
    require_no_secret(path, f"token: {secret}, as before", f"token: {secret}")
    require_no_secret(str(tmp_path / "notes.md"), secret)
    (tmp_path / "CLAUDE.md").touch()
    (tmp_path / "notes.md").symlink_to("CLAUDE.md")
    with pytest.raises(ToolValidationError):
        require_no_secret(str(tmp_path / "notes.md"), secret)
