"""Notebooks written in every way that is found in the wild, each with the exact bytes that one edit must give.

The expected bytes are made by plain replacement in the text, so they owe nothing to the code that is tested.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

EDITED = 1
"""The position of the cell that is edited."""


class NotebookCase(NamedTuple):
    """One notebook and one edit of its second cell.

    Attributes:
        before: the file.
        keep, clear: the file after the edit, for each policy about outputs.
        address: what the cell is called.
        new_source: its whole new source.
    """

    name: str
    before: bytes
    keep: bytes
    clear: bytes
    address: str
    new_source: str


def notebook(minor: int = 5, source: Any = None, **cell: Any) -> dict[str, Any]:
    """Three cells; the second one is code that has run."""
    code = {
        "cell_type": "code",
        "execution_count": 7,
        "id": "mid",
        "metadata": {},
        "outputs": [
            {"data": {"text/plain": ["12"]}, "execution_count": 7, "metadata": {}, "output_type": "execute_result"}
        ],
        "source": ["n = 5\n", "m = 7\n", "n + m"] if source is None else source,
        **cell,
    }
    last = {
        "cell_type": "code",
        "execution_count": None,
        "id": "end",
        "metadata": {},
        "outputs": [],
        "source": ["m = 7\n"],
    }
    cells = [{"cell_type": "markdown", "id": "top", "metadata": {}, "source": ["## Sum\n", "of two"]}, code, last]
    if minor < 5:
        cells = [{key: value for key, value in c.items() if key != "id"} for c in cells]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": minor}


def dumped(value: Any, indent: int | str | None = 1, **how: Any) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=how.pop("ensure_ascii", False), **how) + "\n"


NEW_SOURCE = "n = 5\nm = 70\nn + m"
OUTPUT = notebook()["cells"][EDITED]["outputs"][0]


def once(text: str, old: str, new: str) -> str:
    """``text`` with the first of ``old`` replaced, which must be there."""
    assert old in text, old
    return text.replace(old, new, 1)


def case(
    name: str,
    text: str,
    old: str = '"m = 7\\n"',
    new: str = '"m = 70\\n"',
    *,
    outputs: str | None = None,
    address: str = "mid",
    new_source: str = NEW_SOURCE,
    encoding: str = "utf-8",
) -> NotebookCase:
    keep = once(text, old, new)
    clear = once(once(keep, '"execution_count": 7,', '"execution_count": null,'), outputs, "[]") if outputs else keep
    return NotebookCase(name, text.encode(encoding), keep.encode(encoding), clear.encode(encoding), address, new_source)


def outputs_text(text: str, indent: int | str, newline: str = "\n") -> str:
    """The text of the second cell's ``[…]`` of outputs, as it stands in an indented notebook."""
    unit = " " * indent if isinstance(indent, int) else indent
    written = json.dumps([OUTPUT], indent=indent, ensure_ascii=False).replace("\n", newline + unit * 3)
    assert written in text
    return written


def layouts() -> list[NotebookCase]:
    """The same notebook with other white space, line ends, marks and list forms."""
    plain = dumped(notebook())
    cases = []
    for name, indent in (("indent 1", 1), ("indent 2", 2), ("indent 4", 4), ("tabs", "\t")):
        text = dumped(notebook(), indent)
        cases.append(case(name, text, outputs=outputs_text(text, indent)))
    crlf = plain.replace("\n", "\r\n")
    cases.append(case("CR LF file", crlf, outputs=outputs_text(crlf, 1, "\r\n")))
    cases.append(case("no final line end", plain.rstrip("\n"), outputs=outputs_text(plain, 1)))
    cases.append(case("byte order mark", plain, outputs=outputs_text(plain, 1), encoding="utf-8-sig"))
    inline = once(plain, '"n = 5\\n",\n    "m = 7\\n",\n    "n + m"', '"n = 5\\n", "m = 7\\n", "n + m"')
    inline = once(inline, '[\n    "n = 5', '["n = 5')
    inline = once(inline, '"n + m"\n   ]', '"n + m"]')
    cases.append(case("list on one line", inline, outputs=outputs_text(plain, 1)))
    one_line = dumped(notebook(), None)
    cases.append(case("file on one line", one_line, outputs=json.dumps([OUTPUT])))
    reordered = dumped({key: notebook()[key] for key in ("nbformat_minor", "nbformat", "metadata", "cells")})
    cases.append(case("other key order", reordered, outputs=outputs_text(reordered, 1)))
    return cases


def forms() -> list[NotebookCase]:
    """Sources as one string, and strings spelled in other ways."""
    text = dumped(notebook(source="n = 5\nm = 7\nn + m"))
    cases = [case("one string", text, "\\nm = 7\\n", "\\nm = 70\\n", outputs=outputs_text(text, 1))]
    raw = dumped(notebook(source=["# Maß, 数\n", "m = 'ß'\n"]))
    cases.append(
        case(
            "raw characters",
            raw,
            "\"m = 'ß'\\n\"",
            "\"m = 'é数'\\n\"",
            new_source="# Maß, 数\nm = 'é数'\n",
            outputs=outputs_text(raw, 1),
        )
    )
    escaped = dumped(notebook(source=["# Ma\u00df\n", "m = 7\n"]), ensure_ascii=True)
    cases.append(
        case(
            "escaped characters",
            escaped,
            '"m = 7\\n"',
            "\"m = '\\u00e9\\ud83d\\ude00'\\n\"",
            new_source="# Maß\nm = 'é\U0001f600'\n",
            outputs=outputs_text(escaped, 1),
        )
    )
    slashes = dumped(notebook(source=["u = 'http://a/b'\n", "m = 7\n"])).replace("//a/b", "\\/\\/a\\/b")
    cases.append(
        case(
            "escaped slashes",
            slashes,
            '"m = 7\\n"',
            '"m = 1 \\/ 2\\n"',
            new_source="u = 'http://a/b'\nm = 1 / 2\n",
            outputs=outputs_text(slashes, 1),
        )
    )
    mixed = dumped(notebook(source=["# MASS, ß\n", "m = 7\n"])).replace("MASS", "\\u00e9\\/\\u002f")
    cases.append(case("several spellings", mixed, new_source="# é//, ß\nm = 70\n", outputs=outputs_text(mixed, 1)))
    one = dumped(notebook(source="# MASS, ß\nm = 7\n")).replace("MASS", "\\u00e9\\/\\u002f")
    cases.append(
        case(
            "several spellings in one string",
            one,
            "\\nm = 7\\n",
            "\\nm = 70\\n",
            new_source="# é//, ß\nm = 70\n",
            outputs=outputs_text(one, 1),
        )
    )
    crs = dumped(notebook(source=["n = 5\r\n", "m = 7\r\n"], outputs=[], execution_count=None))
    cases.append(
        case(
            "CR LF in the source",
            crs,
            '"n = 5\\r\\n",\n    "m = 7\\r\\n"',
            '"n = 5\\n",\n    "m = 8\\n"',
            new_source="n = 5\nm = 8\n",
        )
    )
    return cases


def oddities() -> list[NotebookCase]:
    """Old minor versions, damaged metadata, and things that other tools put into notebooks."""
    no_ids = dumped(notebook(minor=4))
    cases = [case("4.4 without ids", no_ids, outputs=outputs_text(no_ids, 1), address="cell-1")]
    missing = no_ids.replace('"nbformat_minor": 4', '"nbformat_minor": 5')
    cases.append(case("4.5 without ids", missing, outputs=outputs_text(missing, 1), address="cell-1"))
    colab = dumped(notebook(minor=0, metadata={"id": "kX3"}))
    cases.append(case("ids in the metadata", colab, outputs=outputs_text(colab, 1), address="cell-1"))
    half = dumped(notebook(outputs=[{"name": "stdout", "output_type": "stream", "text": ["half HALF\n"]}]))
    half = half.replace("HALF", "\\ud83d")
    written = half[half.index('"outputs": [') + 11 : half.index('],\n   "source": [\n    "n = 5') + 1]
    cases.append(case("half a character in an output", half, outputs=written))
    content = notebook()
    content["cells"][0]["metadata"] = None
    del content["cells"][EDITED]["outputs"], content["cells"][EDITED]["execution_count"]
    content["cells"][2]["metadata"] = {"tags": "t", "collapsed": "no"}
    cases.append(case("invalid metadata", dumped(content)))
    numbers = {"NaN": float("nan"), "lowest": [float("-inf"), "Infinity", '\\"NaN'], "highest": float("inf")}
    odd = dumped(notebook(metadata=numbers))
    cases.append(case("numbers that JSON does not have", odd, outputs=outputs_text(odd, 1)))
    tagged = dumped(notebook(metadata={"tags": ["parameters"], "jupyter": {"source_hidden": True}}))
    cases.append(case("tags", tagged, outputs=outputs_text(tagged, 1)))
    content = notebook()
    state = {"state": {f"{i:032x}": {"model_name": "LayoutModel", "state": {}} for i in range(50)}}
    content["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": state}
    cases.append(case("widget state", dumped(content), outputs=outputs_text(dumped(content), 1)))
    return cases


CASES = [*layouts(), *forms(), *oddities()]

OLD_FORMAT = {
    "metadata": {},
    "nbformat": 3,
    "nbformat_minor": 0,
    "worksheets": [
        {
            "cells": [
                {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["Old times"]},
                {
                    "cell_type": "code",
                    "input": ["n = 5"],
                    "language": "python",
                    "metadata": {},
                    "prompt_number": 4,
                    "outputs": [
                        {"output_type": "pyout", "prompt_number": 4, "text": ["5"], "png": "aGFsbG8=", "metadata": {}},
                        {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["t"]},
                    ],
                },
            ]
        }
    ],
}


def refused() -> dict[str, tuple[bytes, str]]:
    """Files that must not be edited, with the check that refuses them."""
    good = dumped(notebook())
    no_list = {"cells": 3, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    twice = good.replace('"nbformat": 4', '"nbformat": 4, "nbformat": 4')
    return {
        "format 3": (dumped(OLD_FORMAT).encode(), "notebook-old-format"),
        "format 5": (dumped({**notebook(), "nbformat": 5}).encode(), "notebook-new-format"),
        "cut off": (good.encode()[:-60], "notebook-not-json"),
        "latin-1": (good.replace("of two", "für zwei").encode("latin-1"), "notebook-not-utf8"),
        "UTF-16": (good.encode("utf-16"), "notebook-not-utf8"),
        "no notebook": (dumped(no_list).encode(), "notebook-not-a-notebook"),
        "a list": (b"[1, 2]", "notebook-not-a-notebook"),
        "no format": (dumped({"cells": []}).encode(), "notebook-not-a-notebook"),
        "no number": (dumped(notebook(metadata={"x": 1})).replace('"x": 1', '"x": -NaN').encode(), "notebook-not-json"),
        "a key twice": (twice.encode(), "notebook-duplicate-key"),
        "nested too deeply": (b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "notebook-not-json"),
        "empty": (b"", "notebook-not-json"),
    }


REFUSED = refused()
