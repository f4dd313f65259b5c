"""``c.AgentTools`` and ``%config AgentTools`` in a real shell."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support.settings import SettingsLab, make_lab

START = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
ip = InteractiveShell.instance(config=Config({"AgentTools": json.loads(sys.argv[1])}))
ip.run_line_magic("load_ext", "jupyter_agenttools")
from jupyter_agenttools.notebook import get_session
"""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SettingsLab:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return make_lab(tmp_path, monkeypatch)


def run(lab: SettingsLab, code: str, **config: object) -> list[str]:
    """The lines that ``code`` prints in a shell with this configuration."""
    script = START + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(config)], cwd=lab.project, capture_output=True, text=True, timeout=120
    )
    return [*done.stdout.splitlines(), *done.stderr.splitlines()]


def test_the_configuration_is_stronger_than_the_files(lab: SettingsLab) -> None:
    lab.write("userSettings", {"permissions": {"defaultMode": "acceptEdits"}, "notebookOutputs": "clear"})
    lines = run(
        lab,
        "print(get_session().state.permission.mode, get_session().options.notebook_outputs)",
        mode="plan",
        notebook_outputs="keep",
    )
    assert lines == ["plan keep"]


def test_a_change_counts_at_once(lab: SettingsLab) -> None:
    code = """
    print(get_session().state.permission.mode)
    ip.run_cell("%config AgentTools.mode = 'acceptEdits'")
    print(get_session().state.permission.mode)
    ip.run_cell("%config AgentTools.mode = ''")
    print(get_session().state.permission.mode)
    ip.run_cell("%config AgentTools.notebook_outputs = 'keep'")
    print(get_session().options.notebook_outputs)
    """
    lab.write("userSettings", {"permissions": {"defaultMode": "plan"}})
    assert run(lab, code) == ["plan", "acceptEdits", "plan", "keep"]


def test_another_file(lab: SettingsLab) -> None:
    path = lab.write("commandLine", {"permissions": {"deny": ["Write"]}})
    code = "print(dict(get_session().state.permission.always_deny_rules))"
    assert run(lab, code, settings_file=str(path)) == ["{'commandLine': ('Write',)}"]
    path.unlink()
    assert "there is no settings file" in run(lab, code, settings_file=str(path))[-1]


def test_the_options_are_listed(lab: SettingsLab) -> None:
    lines = run(lab, 'ip.run_cell("%config AgentTools")')
    for name in ("mode", "notebook_outputs", "settings_file", "watch_settings", "max_turns"):
        assert any(line.startswith(f"AgentTools.{name}=") for line in lines), name


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("AgentTools.mode = 'paln'", "expected any of"),
        ("AgentTools.max_turns = -1", "should not be less than 0"),
        ("AgentTools.settings_file = '/no/such'", "there is no settings file /no/such"),
    ],
)
def test_a_bad_value_is_told_in_a_line_and_changes_nothing(line: str, said: str, lab: SettingsLab) -> None:
    code = f"""
    before = get_session().state
    ip.run_cell({("%config " + line)!r})
    (config,) = [each for each in ip.configurables if type(each).__name__ == "AgentTools"]
    print(get_session().state is before, config.settings_file == "")
    """
    lines = run(lab, code)
    assert "True True" in lines
    assert any(said in text for text in lines) and not any("Traceback" in text for text in lines)


def test_a_bad_value_in_the_file_keeps_the_extension_from_loading(lab: SettingsLab) -> None:
    lines = run(lab, "", mode="paln")
    assert "c.AgentTools in your IPython configuration" in lines[-1] and "'paln'" in lines[-1]


@pytest.mark.parametrize("name", ["mode", "settings_file"])
def test_a_cell_does_not_turn_off_the_questions_of_a_session_that_runs(name: str, lab: SettingsLab) -> None:
    path = lab.write("commandLine", {"permissions": {"defaultMode": "bypassPermissions"}})
    value = {"mode": "bypassPermissions", "settings_file": str(path)}[name]
    lines = run(lab, f"""
    get_session()
    ip.run_cell("%config AgentTools.{name} = {value!r}")
    print(get_session().state.permission.mode, get_session().state.permission.is_bypass_permissions_mode_available)
    """)  # fmt: skip
    assert "default False" in lines
    assert any(f"AgentTools.{name}: the mode bypassPermissions is not available in this session" in x for x in lines)


def test_a_person_may_begin_without_questions_and_come_back_to_it(lab: SettingsLab) -> None:
    code = """
    get_session()
    ip.run_cell("%config AgentTools.mode = 'plan'")
    ip.run_cell("%config AgentTools.mode = 'bypassPermissions'")
    print(get_session().state.permission.mode)
    """
    lines = run(lab, code, mode="bypassPermissions")
    assert lines[0].startswith("settings: the mode bypassPermissions") and lines[1:] == ["bypassPermissions"]


def test_a_mode_that_the_settings_forbid_is_said_not_to_hold(lab: SettingsLab) -> None:
    lab.write("userSettings", {"permissions": {"disableBypassPermissionsMode": "disable"}})
    lines = run(lab, "print(get_session().state.permission.mode)", mode="bypassPermissions")
    said = "settings: AgentTools.mode: the settings forbid the mode bypassPermissions; the session begins in default"
    assert lines == [said, "default"]


def test_unloading_forgets_it(lab: SettingsLab) -> None:
    code = """
    ip.run_line_magic("unload_ext", "jupyter_agenttools")
    print([type(each).__name__ for each in ip.configurables].count("AgentTools"))
    """
    assert run(lab, code) == ["0"]


# ---- what the files of a project ask for, in the same shell

WIDE = {
    "permissions": {"allow": ["Bash(npm *)"]},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x\u202e.sh"}]}]},
}


def test_a_project_is_approved_as_it_was_shown(lab: SettingsLab) -> None:
    lab.write("projectSettings", WIDE, trusted=False)
    code = """
    ip.run_cell("%agent trust approve")
    ip.run_cell("%agent trust")
    ip.run_cell("%agent trust approve")
    print(dict(get_session().state.permission.always_allow_rules))
    ip.run_cell("%agent trust")
    """
    text = "\n".join(run(lab, code))
    assert "1 allow rule, hooks (Stop) not used" in text
    assert "%agent trust shows what a settings file of this project would like to do" in text
    assert "first look at what the files ask for" in text
    assert "Bash(npm *)" in text and "Stop: command x‹U+202E›.sh" in text
    assert "{'projectSettings': ('Bash(npm *)',)}" in text
    assert "No settings file of this project asks for rights" in text.splitlines()[-1]


def test_a_file_that_changed_meanwhile_is_not_approved(lab: SettingsLab) -> None:
    path = lab.write("projectSettings", WIDE, trusted=False)
    code = f"""
    ip.run_cell("%agent trust")
    open({str(path)!r}, "a").write(" ")
    ip.run_cell("%agent trust approve 1")
    print(dict(get_session().state.permission.always_allow_rules))
    """
    lines = run(lab, code)
    assert any("has changed since it was shown" in line for line in lines) and lines[-1] == "{}"


def test_a_refused_file_is_not_pointed_at_again(lab: SettingsLab) -> None:
    lab.write("projectSettings", WIDE, trusted=False)
    assert any("Nobody asks again" in line for line in run(lab, """
    ip.run_cell("%agent trust")
    ip.run_cell("%agent trust refuse")
    """))  # fmt: skip
    assert not any("%agent trust" in line for line in run(lab, "get_session()"))
