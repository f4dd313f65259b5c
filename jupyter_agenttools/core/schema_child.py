"""The program that checks data against JSON Schemas: a line of JSON in, a line of JSON out, until nobody asks any more.

It is run by its path and imports nothing of this package, so that it starts quickly.
"""

from __future__ import annotations

import faulthandler
import json
import sys
from collections.abc import Iterable
from typing import Any

MAX_TEXT_CHARS = 300
"""Of one message or one place: both hold what stands in the data."""
MEMORY_BYTES = 2 << 30
MAX_FRAMES = 4_000
FORMAT_LIBRARIES = (
    "fqdn", "idna", "isoduration", "jsonpointer", "rfc3339_validator", "rfc3986_validator", "rfc3987",
    "rfc3987_syntax", "uri_template", "webcolors",
)  # fmt: skip
"""jsonschema imports those that are installed, which takes seconds; no format is checked here."""


def main() -> None:
    """Answer what comes on standard input. The first argument is the time for each, the others are folders to import
    from."""
    seconds = float(sys.argv[1])
    sys.path += sys.argv[2:]
    sys.modules.update(dict.fromkeys(FORMAT_LIBRARIES))  # type: ignore[arg-type]  # None: it cannot be imported
    sys.setrecursionlimit(MAX_FRAMES)
    _bound_memory()
    import jsonschema.validators  # noqa: F401  # before the first question, whose time runs

    _write({"ready": True})
    for line in sys.stdin.buffer:
        faulthandler.dump_traceback_later(seconds, exit=True)  # also where nobody is left who could end it
        answer = _answer(line)
        faulthandler.cancel_dump_traceback_later()
        _write(answer)


def _bound_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except (ImportError, OSError, ValueError):  # a system without this bound, or with a lower one
        return


def _write(answer: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()


def _answer(line: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(line)
        found = _schema_errors(asked["schema"]) if asked["do"] == "schema" else _errors(asked["schema"], asked["value"])
        return _told(found, asked["most"])
    except RecursionError:
        return {"unusable": "it is nested too deeply, or refers to itself without end"}
    except MemoryError:
        return {"unusable": "it takes too much memory"}
    except Exception as error:
        return {"unusable": _short(f"{type(error).__name__}: {error}")}


def _schema_errors(schema: Any) -> Iterable[Any]:
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for

    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        return [error]
    return []


def _errors(schema: Any, value: Any) -> Iterable[Any]:
    from jsonschema.validators import validator_for
    from referencing import Registry

    return validator_for(schema)(schema, registry=Registry(retrieve=_refuse)).iter_errors(value)


def _refuse(uri: str) -> Any:
    """Nothing is ever fetched."""
    from referencing.exceptions import NoSuchResource

    raise NoSuchResource(ref=uri)


def _told(errors: Iterable[Any], most: int) -> dict[str, Any]:
    found = sorted(([str(part) for part in e.absolute_path], _short(e.message)) for e in errors)
    problems = [[[_short(part) for part in where], message] for where, message in found[:most]]
    return {"problems": problems, "count": len(found)}


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "…"


if __name__ == "__main__":
    main()
