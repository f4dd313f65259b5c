"""What a project's settings file asks for, as blocks that leave nothing out in any front end."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from ..core.views import CodeBlockView, ViewBlock

if TYPE_CHECKING:
    from ..settings import TrustRequest


def wish_blocks(request: TrustRequest) -> tuple[ViewBlock, ...]:
    """One block for each kind of thing, with each thing whole and its signs visible. A table would cut long ones."""
    return tuple(
        CodeBlockView("\n".join(wish.text for wish in wishes), "text", title=kind)
        for kind, wishes in groupby(request.wishes, key=lambda wish: wish.kind)
    )
