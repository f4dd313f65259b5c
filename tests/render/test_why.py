"""The trace of a question: the same for the same decision, with its rule, its file and the characters it is about."""

from __future__ import annotations

from jupyter_agenttools.core.decision import Decision, DecisionStep
from jupyter_agenttools.render.why import why_html, why_lines
from tests.support.markup import Page

COMMAND = "echo one\nls $(id) <b>"
STEPS = (
    DecisionStep("deny_rules", "passthrough", "no deny rule is about this call"),
    *(DecisionStep(f"validate{n}", "passthrough", "nothing seen") for n in "ABC"),
    DecisionStep("substitution", "ask", "something is substituted", spans=((12, 14),)),
    DecisionStep("ask_rules", "ask", "the rule wants a person", "Bash(ls *) [userSettings]"),
    DecisionStep("person", "skipped", "decided before"),
)
DECISION = Decision("ask", "the rule wants a person", "Bash(ls *)", STEPS, "rule")


def located(step: DecisionStep) -> str:
    return "~/.claude/settings.json" if step.rule else ""


def test_html_tells_every_step_once_and_marks_the_characters() -> None:
    html = why_html(DECISION, COMMAND, located, ["calls:", "  <ls>"])
    assert Page(html).problems == []
    assert "<summary>How it was judged: 7 steps; ask_rules asks by the rule Bash(ls *) [userSettings]" in html
    assert "2-4. validateA, validateB, validateC: passthrough – nothing seen" in html
    assert "ls <mark>$(</mark>id) &lt;b&gt;" in html and "echo one" not in html
    assert "[Bash(ls *) [userSettings], from ~/.claude/settings.json]" in html
    assert "&lt;ls&gt;" in html
    assert html == why_html(DECISION, COMMAND, located, ["calls:", "  <ls>"])


def test_text_tells_the_same() -> None:
    lines = why_lines(DECISION, COMMAND, located)
    assert lines[1].startswith("  2-4. validateA, validateB") and lines[2].endswith("[at '$(']")
    assert "from ~/.claude/settings.json" in lines[3] and lines[-1].startswith("  7. person: skipped")


def test_long_lines_are_shown_around_the_place() -> None:
    step = DecisionStep("x", "ask", "", spans=((500, 503),))
    html = why_html(Decision("ask", trace=(step,)), "a" * 500 + "BAD" + "b" * 500)
    assert "<mark>BAD</mark>" in html and "…" in html and "a" * 100 not in html


def test_places_outside_of_the_text_and_a_decision_without_steps_do_no_harm() -> None:
    step = DecisionStep("x", "ask", "", spans=((5, 9), (0, 0)))
    assert "x: ask" in why_html(Decision("ask", trace=(step,)), "ab")
    assert "0 steps; none of them allows it, so a person is asked" in why_html(Decision("ask"), "")
    denied = Decision("deny", trace=(DecisionStep("person", "deny", "the mode dontAsk denies what would ask"),))
    assert "1 step; person denies it" in why_html(denied, "")


def test_the_numbers_go_up_to_the_number_of_steps() -> None:
    html, lines = why_html(DECISION, COMMAND), why_lines(DECISION, COMMAND)
    assert "<ol" not in html and "7. person: skipped" in html and lines[-1].startswith("  7. ")


def test_places_far_apart_are_all_shown_and_not_what_is_between() -> None:
    text = f"touch a && {'x' * 300} && touch b && touch c"
    places = tuple((text.index(part), text.index(part) + 7) for part in ("touch a", "touch b", "touch c"))
    html = why_html(Decision("ask", trace=(DecisionStep("person", "ask", "", spans=places),)), text)
    assert all(f"<mark>touch {name}</mark>" in html for name in "abc") and html.count("<pre>") == 2
    assert "x" * 120 not in html and Page(html).problems == []
    many = tuple((n * 200, n * 200 + 1) for n in range(40))
    html = why_html(Decision("ask", trace=(DecisionStep("person", "ask", "", spans=many),)), "y" * 8000)
    assert html.count("<mark>") == 5 and "and 35 more places" in html
