"""``%agent trust``: what the settings files of a project ask for, and a person's answer to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.errors import UsageError
from ..core.views import Badge, ToolView
from .agent_trust_line import AgentTrust
from .note import note_bundle
from .output import show
from .wishes import wish_blocks

if TYPE_CHECKING:
    from ..settings import TrustRequest
    from .runtime import Runtime


def trust_command(runtime: Runtime, asked: AgentTrust) -> None:
    """Show the files that nobody has approved, or approve or refuse one of them as it was shown.

    Raises:
        UsageError: no such file, one that was not shown yet, or one that has changed since.
    """
    from ..render import view_bundle
    from ..settings import trust_requests

    if asked.action == "show":
        runtime.shown_requests = trust_requests(runtime.session.settings)
        if not runtime.shown_requests:
            show(note_bundle("No settings file of this project asks for rights that it does not have."))
        for number, request in enumerate(runtime.shown_requests, 1):
            show(view_bundle(request_view(request, number)))
        return
    request = _chosen(runtime, asked)
    if asked.action == "refuse":
        request.refuse()
        show(note_bundle(f"{request.path} stays as it is: only what takes rights away counts. Nobody asks again."))
        return
    request.approve()
    runtime.session.reload_settings(also_refused=False)
    runtime.shown_requests = ()
    show(note_bundle(f"{request.path} counts now, as long as not a byte of it changes."))


def _chosen(runtime: Runtime, asked: AgentTrust) -> TrustRequest:
    shown = runtime.shown_requests
    if not shown:
        raise UsageError(f"%agent trust {asked.action}: first look at what the files ask for, with %agent trust")
    if (not asked.number and len(shown) > 1) or asked.number > len(shown):
        raise UsageError(f"%agent trust {asked.action}: which file? There are {len(shown)}; write its number")
    request = shown[max(asked.number, 1) - 1]
    if not request.is_current():
        runtime.shown_requests = ()
        raise UsageError(f"%agent trust: {request.path} has changed since it was shown; look again, with %agent trust")
    return request


def request_view(request: TrustRequest, number: int) -> ToolView:
    """One file with all that it asks for, each thing whole and with its signs visible."""
    badges = (Badge("refused before", "warning"),) if request.refused else ()
    title = f"{number}: {request.path} asks for this; %agent trust approve {number} gives it"
    return ToolView(title, badges, wish_blocks(request))


def trust_hint(requests: tuple[TrustRequest, ...]) -> str:
    """The line that points at ``%agent trust`` when a session begins, ``""`` when there is nothing to answer."""
    open_ones = [request for request in requests if not request.refused]
    if not open_ones:
        return ""
    which = "a settings file" if len(open_ones) == 1 else f"{len(open_ones)} settings files"
    return f"%agent trust shows what {which} of this project would like to do, and approves it"
