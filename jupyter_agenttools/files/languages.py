"""Which language is a file written in? By its name, as Pygments calls it."""

from __future__ import annotations

import os

_BY_EXTENSION = {
    "bash": "bash", "c": "c", "cfg": "ini", "cpp": "cpp", "css": "css", "diff": "diff", "go": "go", "h": "c",
    "hpp": "cpp", "html": "html", "ini": "ini", "ipynb": "json", "java": "java", "jl": "julia", "js": "javascript",
    "json": "json", "jsx": "jsx", "kt": "kotlin", "lua": "lua", "md": "markdown", "php": "php", "pl": "perl",
    "py": "python", "pyi": "python", "r": "r", "rb": "ruby", "rs": "rust", "rst": "rst", "scala": "scala",
    "sh": "bash", "sql": "sql", "svg": "xml", "swift": "swift", "tex": "tex", "toml": "toml", "ts": "typescript",
    "tsx": "tsx", "xml": "xml", "yaml": "yaml", "yml": "yaml", "zsh": "bash",
}  # fmt: skip
_BY_NAME = {"Makefile": "make", "Dockerfile": "docker", "CMakeLists.txt": "cmake"}


def language_of(path: str) -> str:
    """A Pygments lexer name, or ``""`` where the name says nothing."""
    name = os.path.basename(path)
    return _BY_NAME.get(name) or _BY_EXTENSION.get(name.rpartition(".")[2].lower() if "." in name else "", "")
