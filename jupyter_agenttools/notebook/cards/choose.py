"""Which card puts a question?"""

from __future__ import annotations

from collections.abc import Callable

from ...core.prompting import PermissionRequest
from ...session import Session
from ..prompts import OpenPrompt
from .ask import AskCard
from .parts import Post, WidgetBag
from .permission import PermissionCard
from .plan import PlanCard
from .questions import QuestionsCard


def card_for(
    prompt: OpenPrompt,
    session: Session,
    bag: WidgetBag,
    post: Post,
    others: Callable[[], tuple[PermissionRequest, ...]] = tuple,
) -> AskCard:
    """The card for the form that the question is put in."""
    match prompt.request.form:
        case "plan":
            return PlanCard(prompt, session, bag, post)
        case "questions":
            return QuestionsCard(prompt, session, bag, post)
        case _:
            return PermissionCard(prompt, session, bag, post, others)
