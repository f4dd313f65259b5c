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


def why_html(decision: Decision, text: str = "", locate: Locate = lambda step: "", reading: Sequence[str] = ()) -> str:
    """The folded trace.

    Args:
        text: the input's main text, from which the characters are shown and underlined that a step is about.
        locate: where rules stand. reading: how a command is read, line by line.
    """
    items = "".join(f"<li>{_item(steps, text, locate)}</li>" for steps in _runs(decision))
    command = f"<pre>{escape(chr(10).join(reading))}</pre>" if reading else ""
    body = f'<div class="agt-terminal"><ol class="agt-note">{items}</ol>{command}</div>'
    return details_html(one_line(_summary(decision), DETAIL_CHARS), body)


def why_lines(decision: Decision, text: str = "", locate: Locate = lambda step: "") -> list[str]:
    """The trace as text."""
    lines, number = [], 1
    for steps in _runs(decision):
        numbers = f"{number}" if len(steps) == 1 else f"{number}-{number + len(steps) - 1}"
        places = ", ".join(one_line(repr(text[start:end]), EXCERPT_CHARS) for start, end in steps[0].spans)
        where = f" [at {places}]" if places and text else ""
        lines.append(f"  {numbers}. {_words(steps)}{_from(steps[0], locate)}{where}")
        number += len(steps)
    return lines


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
    rule = f" by the rule {said[-1].rule}" if said and said[-1].rule else ""
    who = said[-1].check if said else decision.decided_by or "nobody"
    return f"How it was judged: {count_of(len(decision.trace), 'step')}; {who} says {decision.behavior}{rule}"


def _words(steps: Sequence[DecisionStep]) -> str:
    step = steps[0]
    names = ", ".join(s.check for s in steps)
    return one_line(f"{names}: {step.outcome}" + (f" – {step.detail}" if step.detail else ""), DETAIL_CHARS)


def _from(step: DecisionStep, locate: Locate) -> str:
    if not step.rule:
        return ""
    place = locate(step)
    return f" [{one_line(step.rule, DETAIL_CHARS)}" + (f", from {one_line(place, DETAIL_CHARS)}]" if place else "]")


def _item(steps: Sequence[DecisionStep], text: str, locate: Locate) -> str:
    words = escape(_words(steps) + _from(steps[0], locate))
    return (f"<b>{words}</b>" if steps[0].outcome in ("ask", "deny") else words) + _excerpts(steps[0], text)


def _excerpts(step: DecisionStep, text: str) -> str:
    """The line of the text that each place is in, with the place underlined."""
    lines: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for start, end in step.spans:
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", start)
        lines.setdefault((begin, len(text) if stop < 0 else stop), []).append((start - begin, end - begin))
    return "".join(_excerpt(text[begin:stop], spans) for (begin, stop), spans in lines.items() if begin < stop)


def _excerpt(line: str, spans: Sequence[tuple[int, int]]) -> str:
    cut = max(0, min(start for start, _ in spans) - BEFORE_CHARS)
    cut = 0 if cut <= BEFORE_CHARS else cut
    moved = [(max(start - cut, 0), end - cut) for start, end in spans]
    kept = line[cut : cut + EXCERPT_CHARS]
    parts = "".join(
        f"<mark>{escape(part)}</mark>" if on else escape(part) for part, on in marked_parts(kept, moved) if part
    )
    return f"<pre>{'…' if cut else ''}{parts}{'…' if len(line) > cut + EXCERPT_CHARS else ''}</pre>"
