"""Where are the notebooks of a server that does not say what its root is? Notebook 7 does not."""

from __future__ import annotations

import os

SESSION_NAME = "JPY_SESSION_NAME"
"""Set by the server when it starts a kernel: the notebook's path as it was then, absolute on the server's machine."""


def find_root(own: str | None) -> str | None:
    """The folder that the paths of a page start from, ``None`` when nothing tells.

    Args:
        own: the page's path of the notebook whose kernel this is.
    """
    if own is None:
        return None
    began_as = os.environ.get(SESSION_NAME, "")
    if os.path.isabs(began_as) and began_as.endswith("/" + own):
        return began_as[: -len(own)]
    return next((root for root in _running_servers() if os.path.isfile(os.path.join(root, own))), None)


def _running_servers() -> list[str]:
    """The roots of the servers of this user: the notebook was renamed since its kernel began."""
    try:
        from jupyter_server.serverapp import list_running_servers
    except ImportError:  # the kernel has an environment of its own
        return []
    return [str(server["root_dir"]) for server in list_running_servers() if server.get("root_dir")]
