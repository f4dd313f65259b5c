"""``%agent permissions`` and ``%agent mode`` in a real kernel, and plans and questions without buttons."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kernel.notebooks import notebook

pytestmark = pytest.mark.kernel


def test_the_policy_is_shown_changed_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with notebook() as book:
        assert "mode: acceptEdits" in book.run("%agent mode acceptEdits").text
        assert book.run("%tool Bash mkdir made").status == "ok"
        said = book.run('%agent permissions deny "Bash(mkdir *)" --scope user').text
        settings = tmp_path / ".claude" / "settings.json"
        assert str(settings) in said
        assert json.loads(settings.read_text()) == {"permissions": {"deny": ["Bash(mkdir *)"]}}
        assert "denied by the rule Bash(mkdir *)" in book.run("%tool Bash mkdir again").text
        shown = book.run("%agent permissions allow Bash(mkdir -p *)").text
        assert "shadowed" in shown and f"{settings}:4" in shown
        table = book.run("%agent permissions").text
        assert "acceptEdits" in table and "user" in table and "shadowed" in table
        assert "1 of 2 rules" in book.run("%agent permissions check").text
        book.run("%agent permissions remove Bash(mkdir *)")
        assert json.loads(settings.read_text()) == {"permissions": {"deny": []}}
        assert "nothing found" in book.run("%agent permissions check").text


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("mode bypassPermissions", "not available in this session"),
        ("mode auto", "needs a classifier"),
        ("mode plam", "did you mean plan?"),
        ("permissions allow Bash(", "never closed"),
        ("permissions add-dir nowhere", "is no folder"),
        ("permissions remove Bash", "there is no rule Bash"),
        ("permissions alow Bash", "did you mean allow?"),
    ],
)
def test_a_mistake_is_one_line(line: str, said: str, book_of_mistakes) -> None:
    reply = book_of_mistakes.run(f"%agent {line}")
    assert reply.status == "error" and said in (reply.error or "")
    assert "Traceback" not in (reply.error or "")


@pytest.fixture(scope="module")
def book_of_mistakes():
    with notebook() as book:
        yield book


def test_a_settings_file_that_is_edited_counts_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()

    def write(text: str) -> None:
        """As an editor saves: the whole file at once, in the place of the other one."""
        fresh = settings.with_name("fresh.json")
        fresh.write_text(text)
        fresh.replace(settings)

    allow = '{"permissions": {\n  "allow": ["Bash(touch *)"],\n  "deny": [%s]\n}}'
    write(allow % "")
    with notebook() as book:
        made = Path(book.kernel.cwd)
        assert book.run("%tool Bash touch one").status == "ok" and (made / "one").exists()

        write(allow % '"Bash(touch t*)"')
        assert "denied by the rule Bash(touch t*)" in book.run("%tool Bash touch two").text
        assert book.run("%tool Bash touch one").status == "ok"

        write(allow % "7")
        asked = book.start("%tool Bash touch three")
        book.click("Deny", "Send denial")
        asked.wait()
        assert not (made / "three").exists()
        noted = book.run("%agent permissions").text
        assert f"{settings}, line 3: `permissions.deny[0]`" in noted and "every call asks" in noted

        write('{"permissions": {\n "allow": ["Bash(touch *)"\n')
        asked = book.start("%tool Bash touch three")
        book.click("Deny", "Send denial")
        asked.wait()
        assert not (made / "three").exists()
        assert f"{settings}, line 3" in book.run("%agent permissions").text

        write(allow % "")
        assert book.run("%tool Bash touch three").status == "ok" and (made / "three").exists()
        assert "every call asks" not in book.run("%agent permissions").text
