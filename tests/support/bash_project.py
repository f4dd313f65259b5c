"""A small project with everything that commands of the corpora name, beside files that must never be read from it."""

from __future__ import annotations

import gzip
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

TOKEN = "PLANTED-4417-TOKEN"
"""Stands in every file outside of the project and in names of some, and in nothing inside."""

_MARKER = ': > "$(dirname "$0")/../ran-$(basename "$0")"\n'
_GIT = {
    "GIT_AUTHOR_NAME": "Dev",
    "GIT_AUTHOR_EMAIL": "dev@example.invalid",
    "GIT_COMMITTER_NAME": "Dev",
    "GIT_COMMITTER_EMAIL": "dev@example.invalid",
    "GIT_CONFIG_NOSYSTEM": "1",
}

FILES = {
    "notes.txt": "alpha beta\ngamma delta\nalpha beta\nTODO later\n",
    "README.md": "# Title\n\nhello world\nTODO\n",
    "src/app.py": "import os\n\n\ndef main():\n    return 1  # TODO\n",
    "src/util.py": "def util():\n    pass\n",
    "src/x.js": "console.log(1)\n",
    "docs/guide.md": "# Guide\ntext\n",
    "logs/app.log": "INFO a\nERROR b\nWARN c\n",
    "tests/test_app.py": "def test_x():\n    assert True\n",
    "data/items.json": '{"items":[{"name":"a","n":1},{"name":"b","n":2}],"version":"1.2"}\n',
    "data/rows.csv": "id,name,qty\n1,ann,3\n2,bob,5\n",
    "data/b64.txt": "aGk=\n",
    "data/list0": "notes.txt\0",
    "data/fix.patch": "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,1 +1,1 @@\n-alpha beta\n+ALPHA beta\n",
    "Makefile": "build:\n\ttouch made\nclean:\n\trm -f notes.txt\n",
    "package.json": '{"name":"p","scripts":{"build":"touch npm_b"}}\n',
    "conf.yaml": "a: 1\nx: 2\n",
    "tools/edit.sed": "w sedf.txt\n",
    "tools/prog.awk": 'BEGIN{system("touch awk_f")}\n',
    "tools/evil.mk": "X := $(shell touch mk_ran)\nall:\n",
    "tools/args.txt": "touch\n",
    "tools/in.hex": "00000000: 6869 0a\n",
    "tools/magic": "0 string x y\n",
    "tools/man.conf": "DEFINE pager ./tools/fmt.sh\n",
    "tools/env": "touch env_sourced\n",
    "tools/run.py": 'open("py_ran","w")\n',
    "tools/pre.js": 'require("fs").writeFileSync("pre_ran","")\n',
}
SCRIPTS = ("fmt.sh", "run.sh", "ls", "cat", "grep", "git", "cleanup")
OUTSIDE = ("secret/token.txt", "secret/x", ".ssh/id_ed25519", "proj2/x.txt", f"secret/{TOKEN}.txt", f"{TOKEN}/x")


def build_project(home: Path, *, has_hostile_settings: bool = True) -> Path:
    """Make ``home/proj`` with a repository in it, and beside it what is nobody's business; returns the project.

    Args:
        has_hostile_settings: the repository's own settings name programs that git would run.
    """
    project = home / "proj"
    for name in OUTSIDE:
        _write(home / name, TOKEN + "\n")
    _write(home / "secret/token.json", f'{{"v":"{TOKEN}"}}\n')
    _write(home / "secret/prog.jq", f'"{TOKEN}"\n')
    _write(home / "secret/list0", TOKEN + "\0")
    _write(home / "secret/cfg", f"[x]\n\ty = {TOKEN}\n")
    for name, text in FILES.items():
        _write(project / name, text)
    for name in SCRIPTS:
        _write(project / "tools" / name, "#!/bin/sh\n" + _MARKER)
        (project / "tools" / name).chmod(0o755)
    _write(project / "tools/rgrc", f"--pre={project}/tools/fmt.sh\n")
    numbers = ((n * 7919) % 3001 for n in range(1, 3001))
    _write(project / "data/big.txt", "".join(f"{n} line {i} {'x' * 24}\n" for i, n in enumerate(numbers)))
    for folder in ("emptydir", "sub"):
        (project / folder).mkdir(exist_ok=True)
    _archives(project)
    os.symlink("../secret", project / "link-out")
    _repository(project, has_hostile_settings)
    return project


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _archives(project: Path) -> None:
    with tarfile.open(project / "data/a.tar", "w") as archive:
        archive.add(project / "notes.txt", "notes.txt")
    with zipfile.ZipFile(project / "data/a.zip", "w") as archive:
        archive.write(project / "notes.txt", "notes.txt")
    with gzip.open(project / "data/x.gz", "wb") as file:
        file.write(b"hi\n")


def _git(folder: Path, *words: str) -> None:
    env = {**os.environ, **_GIT, "HOME": str(folder.parent)}
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)


def _repository(project: Path, has_hostile_settings: bool) -> None:
    """Three commits, a branch, a tag, a change that is not committed, and a repository inside that runs things."""
    _git(project, "init", "-q", "-b", "main", ".")
    _git(project, "add", "-A")
    _git(project, "commit", "-qm", "one")
    for count, name in enumerate(("docs/guide.md", "README.md")):
        with (project / name).open("a") as file:
            file.write(f"more {count}\n")
        _git(project, "commit", "-qam", f"more {count}")
    _git(project, "tag", "v1")
    _git(project, "branch", "main2")
    _git(project, "remote", "add", "origin", "https://host.invalid/o")
    with (project / "src/util.py").open("a") as file:
        file.write("changed\n")
    for key in ("core.fsmonitor", "diff.external", "diff.e.textconv", "core.pager") if has_hostile_settings else ():
        _git(project, "config", key, str(project / "tools/fmt.sh"))
    _write(project / ".git/info/attributes", "*.md diff=e\n")
    inner = project / "tools/inner"
    inner.mkdir()
    _git(inner, "init", "-q", ".")
    _write(inner / "f", "a\n")
    _git(inner, "add", "f")
    _git(inner, "commit", "-qm", "x")
    _write(inner / "f", "b\n")
    for key in ("core.fsmonitor", "diff.external", "diff.e.textconv"):
        _git(inner, "config", key, str(project / "tools/fmt.sh"))
    _write(inner / ".git/info/attributes", "* diff=e\n")
