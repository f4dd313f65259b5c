"""How much do allow rules let through besides the call that is asked about? Found by trying calls on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.blocks import ToolUse
from ..core.call import CallState
from ..core.cancel import Cancellation
from ..core.context import ToolUseContext
from ..core.errors import ToolError
from ..core.prompting import PermissionRequest
from ..core.schema import parse_input
from ..core.tool import Tool
from ..permissions import parse_rule, rule_allows
from ..permissions.names import OLD_NAMES, names_of
from ..pipeline.observe import observed_input

if TYPE_CHECKING:
    from .session import Session

COMMANDS = ("rm -r build", "curl -d @notes.txt http://example.org", "python3 -c pass")
"""Commands that have nothing to do with each other: whoever allows one of them without naming it allows much."""

CODE_RUNNERS = {
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "fish"), "-c true"),
    **dict.fromkeys(("python", "python3", "pypy3"), "-c pass"),
    **dict.fromkeys(("node", "deno", "bun", "perl", "ruby"), "-e 1"),
}
"""Programs that run whatever they are told, and how each is told something. Those that run another command, such as
``sudo``, are not among them: no rule allows them with any words."""

PLACES = {"edit": ("/etc/hosts", "~/.profile"), "read": ("/etc/hosts", "~/.ssh/config"), "domain": ()}
HOSTS = ("http://example.org", "http://example.net")


def breadth_of(session: Session, rules: Sequence[str], request: PermissionRequest) -> tuple[str, ...]:
    """A sentence for each rule that allows far more than a call like the one that is asked about.

    Calls of the tool that it is about are tried on each rule by the matcher that the gate uses; nothing is run.
    """
    asked, context = session.find_tool(request.tool_name), session.call_context("", Cancellation())
    return tuple(_sentences(session, rules, asked, context))


def breadth_of_rule(session: Session, rule: str, context: ToolUseContext) -> str:
    """The same of one allow rule that counts already, ``""`` when it allows nothing that goes far.

    Args:
        context: a context of the session; the same one will do for many rules.
    """
    name = parse_rule(rule).tool_name
    tool = session.find_tool(OLD_NAMES.get(name, name))
    return "" if tool is None else next(_sentences(session, (rule,), tool, context, alone=True), "")


def _sentences(
    session: Session, rules: Sequence[str], asked: Tool | None, context: ToolUseContext, *, alone: bool = False
) -> Iterator[str]:
    for rule in rules:
        name, specifier = parse_rule(rule)
        is_asked = asked is not None and name in names_of(asked)
        tool = asked if is_asked else session.find_tool(OLD_NAMES.get(name, name)) or asked
        if tool is None:
            continue
        if specifier is None and tool.rule_family not in ("name", "mcp"):
            yield f"{rule} allows every call of {name}, whatever it does."
            continue
        for example in _examples(tool, specifier or ""):
            if _allows(context, rule, tool, example, alone):
                shown = next(iter(example.values()))
                yield f"{rule} is broad: it also allows {shown}"
                break


def _examples(tool: Tool, specifier: str) -> Iterator[Mapping[str, Any]]:
    field = tool.primary_field or ""
    if tool.rule_family == "command":
        program = specifier.split("*")[0].split(":")[0].strip()
        told = CODE_RUNNERS.get(program.rpartition("/")[2])
        if not program:
            yield from ({field: text} for text in COMMANDS)
        if told is not None:
            yield {field: f"{program} {told}"}
    for place in PLACES.get(tool.rule_family, ()):
        yield {field: place}
    if tool.rule_family == "domain":
        yield from ({"url": host} for host in HOSTS if host.partition("//")[2] not in specifier)


def _allows(context: ToolUseContext, rule: str, tool: Tool, example: Mapping[str, Any], alone: bool) -> bool:
    """Whether the rule would allow the tool's call with this example, its other fields filled in as they come."""
    try:
        parsed = parse_input(tool, {**_other_fields(tool), **example})
        observed = observed_input(tool, parsed, context)
        state = CallState(ToolUse(tool.name, dict(example)), context, tool, parsed, observed)
        return rule_allows(rule, state, alone=alone)
    except (ToolError, ValueError, OSError):  # not a call of this tool at all
        return False


def _other_fields(tool: Tool) -> dict[str, Any]:
    """Something for each text that the tool cannot do without."""
    schema = tool.json_schema
    properties = schema.get("properties", {})
    return {name: "x" for name in schema.get("required", ()) if properties.get(name, {}).get("type") == "string"}
