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
    from ..server_sessions import running_servers

    # The notebook was renamed since its kernel began.
    roots = (str(server["root_dir"]) for server in running_servers())
    return next((root for root in roots if os.path.isfile(os.path.join(root, own))), None)
