"""What importing must not load: the weight of a notebook, of providers, of formats."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "IPython", "ipywidgets", "ipykernel", "nbformat", "jsonschema", "mcp", "anthropic", "openai", "google.genai",
    "pydantic_ai", "pygments", "rich", "markdown_it", "msgspec", "pexpect", "PIL", "pypdfium2", "tree_sitter",
    "tree_sitter_bash", "watchfiles", "xllamacpp",
)  # fmt: skip


def loaded_by(statement: str) -> set[str]:
    """The top-level modules in a fresh interpreter after ``statement``."""
    code = f"{statement}\nimport sys; print('\\n'.join(sorted(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_a_session_is_light() -> None:
    loaded = loaded_by("import jupyter_agenttools.session")
    assert "jupyter_agenttools.session.session" in loaded
    assert not loaded.intersection(HEAVY)


def test_the_package_itself_loads_next_to_nothing() -> None:
    loaded = loaded_by("import jupyter_agenttools")
    assert not {name for name in loaded if name.startswith("jupyter_agenttools.")}
    assert "pydantic" not in loaded


def test_loading_the_extension_is_light() -> None:
    loaded = loaded_by(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "ip = InteractiveShell.instance()\n"
        "import sys; before = set(sys.modules)\n"
        "ip.run_line_magic('load_ext', 'jupyter_agenttools')\n"
        "assert 'tool' in ip.magics_manager.magics['line']\n"
        "[sys.modules.pop(name) for name in before if name in sys.modules and name != 'sys']"
    )
    assert not loaded.intersection({"ipywidgets", "nbformat", "mcp", "anthropic", "openai", "pydantic_ai"})
