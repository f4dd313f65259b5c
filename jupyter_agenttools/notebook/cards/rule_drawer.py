"""Below the buttons of a card: keeping a rule. What it would have allowed is shown before it can be kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ipywidgets import Dropdown, Textarea, Widget

from ...core.errors import UsageError
from ...core.prompting import PermissionAnswer, PermissionRequest, RuleUpdate
from ...render import view_html
from ...render.chars import ELLIPSIS
from ...session import BackTest, back_test, back_test_view, read_rules
from ...session.rule_choices import rule_choices
from .ask import AskCard
from .parts import problem_html, rows_of

SAVE, SAVE_ANYWAY = "Save & allow", "Save & allow anyway"
CHOICE_CHARS = 120

SCOPE_LABELS: Mapping[str, str] = {
    "session": "this session only",
    "localSettings": "this project, for me (.claude/settings.local.json)",
    "projectSettings": "this project, for everybody (.claude/settings.json)",
    "userSettings": "all my projects (~/.claude/settings.json)",
}


class RuleDrawer:
    """The rules, each on a line of its own, where to keep them, and their back-test.

    The button that keeps the rule is another one after each back-test that found something: a click on the one before
    it, made before anybody can have read that, keeps nothing.

    Args:
        card: whose answer it gives. others: the other questions that are open.

    Attributes:
        widgets: what to show, from top to bottom.
    """

    def __init__(self, card: AskCard, others: Callable[[], tuple[PermissionRequest, ...]]) -> None:
        self._card, self._others = card, others
        self._session, self._bag, self._post = card.session, card.bag, card.post
        bag, post, request = card.bag, card.post, card.request
        self._tested: tuple[str, str] | None = None
        self._renewals = 0
        self._choices = rule_choices(card.session, request)
        label = "Rules" if len(request.offered) > 1 else "Rule"
        hint = "Exactly as they will be kept, each on a line of its own"
        self._rule: Textarea = bag.textarea(label, "\n".join(request.offered), hint=hint, least=1)
        self._scope: Dropdown = bag.dropdown(
            "Keep it in", tuple((SCOPE_LABELS[s], s) for s in request.scopes), hint="Where the rules are kept"
        )
        self._result = bag.html("")
        self._save = self._save_button(SAVE)
        self._row = bag.row(self._save, bag.button("Back", "Keep no rule", lambda: post(card.close), key="esc"))
        self.widgets: tuple[Widget, ...] = (self._rule, *self._suggestions(), self._scope, self._result, self._row)
        for field in (self._rule, self._scope):
            field.observe(lambda _: post(self._changed), "value")
        if self._rule.value:
            self._changed()

    def focus(self) -> None:
        self._rule.focus()

    def _save_button(self, label: str) -> Any:
        hint = f"Keep the rule and run this call ({self._card.request.tool_name})"
        serial = self._renewals
        return self._bag.button(label, hint, lambda: self._post(self._try_to_save, serial), kind="success", key="enter")

    def _suggestions(self) -> tuple[Widget, ...]:
        if len(self._choices) < 2:
            return ()
        options = tuple((_label(rules, at), "\n".join(rules)) for at, rules in enumerate(self._choices))
        dropdown = self._bag.dropdown("Suggestions", options, hint="Other rules that would cover this call")
        dropdown.observe(lambda change: self._post(self._take, change.new), "value")
        return (dropdown,)

    def _take(self, rules: str) -> None:
        self._rule.value = rules

    # ---- the back-test

    @property
    def _asked(self) -> tuple[str, str]:
        return self._rule.value.strip(), self._scope.value

    def _changed(self) -> None:
        self._rule.rows = rows_of(self._rule.value, 1)
        self._card.spawn(self._test())

    async def _test(self, *, save: bool = False) -> None:
        """Show what the rule as it stands there would have done; ``save`` it when that is nothing to look at."""
        asked = self._asked
        try:
            rules = read_rules(asked[0])
            test = await back_test(self._session, rules, self._card.request, asked[1])  # type: ignore[arg-type]
            if not self._session.rule_covers(rules, self._card.request):
                what = f"the rule {rules[0]}" if len(rules) == 1 else "these rules"
                raise UsageError(f"{what} would not allow this call")
        except UsageError as problem:
            if asked == self._asked:
                self._tested = None
                self._save.description = SAVE
                self._result.value = problem_html(str(problem))
            return
        if asked != self._asked:
            return  # it was changed meanwhile, and the test of that is on its way
        if save and test.is_harmless:
            self._keep(rules)
        elif self._tested != asked:
            self._show(test, asked)

    def _show(self, test: BackTest, asked: tuple[str, str]) -> None:
        first, self._tested = self._tested is None and not self._result.value, asked
        waiting = sum(self._session.rule_covers(test.rules, request) for request in self._others())
        is_odd = bool(test.warnings or test.remarks)
        label = SAVE_ANYWAY if is_odd else SAVE
        if not test.is_harmless and not (first and not is_odd):
            self._renew(label)
        else:
            self._save.description = label
        self._result.value = view_html(back_test_view(test, waiting))

    def _renew(self, label: str) -> None:
        self._renewals += 1
        before, self._save = self._save, self._save_button(label)
        self._row.children = [self._save, *self._row.children[1:]]
        self._bag.discard(before)

    # ---- keeping it

    def _try_to_save(self, serial: int) -> None:
        if serial != self._renewals:
            return  # a click on a button that was replaced before this could run: nobody has read the back-test yet
        if self._tested == self._asked:
            self._keep(read_rules(self._tested[0]))
        else:
            self._card.spawn(self._test(save=True))

    def _keep(self, rules: tuple[str, ...]) -> None:
        updates = tuple(RuleUpdate(rule, self._scope.value) for rule in rules)
        self._card.answer(PermissionAnswer("allow", rule_updates=updates, answered_by="widget"))


def _label(rules: tuple[str, ...], at: int) -> str:
    """A set of rules on one line; of several the first set is for exactly these words."""
    text = ", ".join(rules)
    if len(rules) > 1:
        text = f"{'any words' if at else 'exactly'}: {text}"
    return text if len(text) <= CHOICE_CHARS else text[: CHOICE_CHARS - 1] + ELLIPSIS
