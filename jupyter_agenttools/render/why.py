"""Why is a call asked about? The steps of the gate, as a folded list and as text: the same for the same decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from ..core.decision import Decision, DecisionStep
from .chars import count_of, escape, one_line
from .html import details_html
from .marks import marked_parts

Locate = Callable[[DecisionStep], str]
"""Where a step's rule stands: a file, or ``this session``; ``""`` when the step has none."""

FOLDED_STEPS = 2
"""From so many neighbours on that say the same, steps share a line."""
DETAIL_CHARS = 1_200
EXCERPT_CHARS = 120
BEFORE_CHARS = 24
MAX_EXCERPTS = 5


def why_html(decision: Decision, text: str = "", locate: Locate = lambda step: "", reading: Sequence[str] = ()) -> str:
    """The folded trace.

    Args:
        text: the input's main text, from which the characters are shown and underlined that a step is about.
        locate: where rules stand. reading: how a command is read, line by line.
    """
    items = "".join(f"<li>{_item(numbers, steps, text, locate)}</li>" for numbers, steps in _numbered(decision))
    command = f"<pre>{escape(chr(10).join(reading))}</pre>" if reading else ""
    body = f'<div class="agt-terminal"><ul class="agt-note agt-steps">{items}</ul>{command}</div>'
    return details_html(one_line(_summary(decision), DETAIL_CHARS), body)


def why_lines(decision: Decision, text: str = "", locate: Locate = lambda step: "") -> list[str]:
    """The trace as text."""
    lines = []
    for numbers, steps in _numbered(decision):
        places = ", ".join(one_line(repr(text[start:end]), EXCERPT_CHARS) for start, end in steps[0].spans)
        where = f" [at {places}]" if places and text else ""
        lines.append(f"  {numbers}. {_words(steps)}{_from(steps[0], locate)}{where}")
    return lines


def _numbered(decision: Decision) -> Iterator[tuple[str, list[DecisionStep]]]:
    """Each line of the trace with the numbers of its steps."""
    number = 1
    for steps in _runs(decision):
        yield f"{number}" if len(steps) == 1 else f"{number}-{number + len(steps) - 1}", steps
        number += len(steps)


def _runs(decision: Decision) -> Iterator[list[DecisionStep]]:
    """The steps, with neighbours together that say exactly the same; two alone are not worth it."""
    for _, found in groupby(decision.trace, lambda step: (step.outcome, step.detail, step.rule, step.spans)):
        steps = list(found)
        if len(steps) > FOLDED_STEPS:
            yield steps
        else:
            yield from ([step] for step in steps)


def _summary(decision: Decision) -> str:
    """The number of steps, and the one that decided: the last one that said so."""
    said = [step for step in decision.trace if step.outcome == decision.behavior]
    steps = f"How it was judged: {count_of(len(decision.trace), 'step')}"
    if not said or (decision.behavior == "ask" and said[-1].check == "person"):
        return f"{steps}; none of them allows it, so a person is asked"
    rule = f" by the rule {said[-1].rule}" if said[-1].rule else ""
    verb = {"ask": "asks", "allow": "allows it", "deny": "denies it"}[decision.behavior]
    return f"{steps}; {said[-1].check} {verb}{rule}"


def _words(steps: Sequence[DecisionStep]) -> str:
    step = steps[0]
    names = ", ".join(s.check for s in steps)
    return one_line(f"{names}: {step.outcome}" + (f" – {step.detail}" if step.detail else ""), DETAIL_CHARS)


def _from(step: DecisionStep, locate: Locate) -> str:
    if not step.rule:
        return ""
    place = locate(step)
    return f" [{one_line(step.rule, DETAIL_CHARS)}" + (f", from {one_line(place, DETAIL_CHARS)}]" if place else "]")


def _item(numbers: str, steps: Sequence[DecisionStep], text: str, locate: Locate) -> str:
    words = escape(f"{numbers}. {_words(steps)}{_from(steps[0], locate)}")
    return (f"<b>{words}</b>" if steps[0].outcome in ("ask", "deny") else words) + _excerpts(steps[0], text)


def _excerpts(step: DecisionStep, text: str) -> str:
    """What is around each place, with the place underlined."""
    lines: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for start, end in sorted(step.spans):
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", start)
        lines.setdefault((begin, len(text) if stop < 0 else stop), []).append((start - begin, end - begin))
    shown = [part for (begin, stop), spans in lines.items() if begin < stop for part in _parts(text[begin:stop], spans)]
    more = len(shown) - MAX_EXCERPTS
    return "".join(shown[:MAX_EXCERPTS]) + (f"… and {count_of(more, 'more place')}" if more > 0 else "")


def _parts(line: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The line cut to what is around its places: neighbours together, those far apart each by itself."""
    near: list[tuple[int, int]] = []
    for span in spans:
        if near and span[0] > _cut(near) + EXCERPT_CHARS - BEFORE_CHARS:
            yield _excerpt(line, near)
            near = []
        near.append(span)
    yield _excerpt(line, near)


def _cut(spans: Sequence[tuple[int, int]]) -> int:
    """Where an excerpt with these places begins."""
    cut = max(0, spans[0][0] - BEFORE_CHARS)
    return 0 if cut <= BEFORE_CHARS else cut


def _excerpt(line: str, spans: Sequence[tuple[int, int]]) -> str:
    cut = _cut(spans)
    moved = [(max(start - cut, 0), end - cut) for start, end in spans]
    kept = line[cut : cut + EXCERPT_CHARS]
    parts = "".join(
        f"<mark>{escape(part)}</mark>" if on else escape(part) for part, on in marked_parts(kept, moved) if part
    )
    return f"<pre>{'…' if cut else ''}{parts}{'…' if len(line) > cut + EXCERPT_CHARS else ''}</pre>"
