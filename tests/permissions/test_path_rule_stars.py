"""A path rule, which an unapproved project may bring, cannot stop the gate."""

import pytest

from jupyter_agenttools.permissions.paths import PathForms, compile_path_pattern


@pytest.mark.timeout(60)
@pytest.mark.parametrize("specifier", ["*a" * 60 + "b", "**/a*/" * 60 + "b", "//" + "**/*a*/" * 40 + "b"])
def test_many_stars_come_to_an_end(specifier: str) -> None:
    pattern = compile_path_pattern(specifier, "deny")
    for path in ("/w/" + "a" * 200, "/w/" + "a/" * 200 + "c"):
        assert not pattern.matches(PathForms(path, path), source_root="/w", cwd="/w")


@pytest.mark.parametrize(
    ("specifier", "path", "fits"),
    [
        ("*a*b", "xxaxxb", True),
        ("*a*a*b", "aab", True),
        ("*a*a*b", "ab", False),
        ("a/**/b/**/c", "a/b/x/b/c/d", True),
        ("a/**/b/**/c", "a/c/b", False),
        ("**/a*/**/b", "x/y/az/q/b", True),
        ("*.py", "x/y.py", True),
        ("src/**", "src", True),
    ],
)
def test_what_fits(specifier: str, path: str, fits: bool) -> None:
    pattern = compile_path_pattern(specifier, "deny")
    assert pattern.matches(PathForms(f"/w/{path}", f"/w/{path}"), source_root="/w", cwd="/w") is fits
