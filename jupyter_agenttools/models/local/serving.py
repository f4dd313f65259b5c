"""The engine's own process: an OpenAI-compatible server on loopback, for as long as somebody holds its input open.

Runs as a script and imports nothing of this package. It reads one line of JSON, answers with one, and ends when its
input does: also when the process that started it was killed.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def serve() -> None:
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the engine prints must not look like the answer
    asked = json.loads(sys.stdin.readline())
    try:
        server = _start(asked)
    except BaseException as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), file=answer, flush=True)
        return
    print(json.dumps({"url": server.listening_address}), file=answer, flush=True)
    sys.stdin.read()
    os._exit(0)  # while ``server`` is held: to let go of it waits for the engine's threads, now and then for ever


def _start(asked: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = asked["file"]
    params.model_alias = {asked["name"]}
    params.api_keys = [asked["key"]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = asked["window"]
    params.n_parallel = 1
    params.cpuparams.n_threads = asked["threads"]
    params.use_jinja = True
    params.warmup = False
    params.ui = False
    return xllamacpp.Server(params)


if __name__ == "__main__":
    serve()
