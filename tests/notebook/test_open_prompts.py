"""Questions are answered once, and found by a part of their id."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from jupyter_agenttools.core import Decision, PermissionAnswer, PermissionRequest, ToolView
from jupyter_agenttools.core.errors import UsageError
from jupyter_agenttools.notebook.prompts import OpenPrompts


def request(id: str) -> PermissionRequest:
    return PermissionRequest(id, "Bash", {"command": "ls"}, ToolView("Bash ls"), Decision("ask", "no rule"))


def test_exactly_one_answer_counts_whoever_gives_it() -> None:
    prompt = OpenPrompts().open(request("toolu_1"))
    start = threading.Barrier(8)

    def answer(n: int) -> bool:
        start.wait()
        return prompt.answer(PermissionAnswer("deny", str(n)))

    with ThreadPoolExecutor(8) as pool:
        counted = list(pool.map(answer, range(8)))
    assert counted.count(True) == 1
    assert prompt.future.result().message == str(counted.index(True))


def test_an_answer_that_comes_after_the_question_was_dropped_does_not_count() -> None:
    prompt = OpenPrompts().open(request("toolu_1"))
    prompt.future.cancel()
    assert not prompt.answer(PermissionAnswer("allow"))


def test_a_question_is_found_by_the_beginning_of_its_id() -> None:
    prompts = OpenPrompts()
    first, second = (prompts.open(request(id)) for id in ("toolu_ab12", "toolu_ab34"))
    assert prompts.find("ab1") is first and prompts.find("toolu_ab34") is second
    with pytest.raises(UsageError, match=r"more than one open question begins with 'ab'\. Open: ab12 \(Bash\), ab34"):
        prompts.find("ab")
    prompts.close(first)
    prompts.close(first)
    assert prompts.all() == (second,) and prompts.find("ab") is second
    with pytest.raises(UsageError, match="no open question has the id 'x'"):
        prompts.find("x")


def test_a_whole_id_means_its_call_also_where_others_begin_with_it() -> None:
    prompts = OpenPrompts()
    ten, one = (prompts.open(request(id)) for id in ("call_10", "call_1"))
    assert prompts.find("call_1") is one and prompts.find("call_10") is ten


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (("toolu_0123456789", "toolu_ab"), ["01234567", "ab"]),
        (("toolu_0123456789", "toolu_0123456700"), ["0123456789", "0123456700"]),
        (("functions_both_0-ab12cd34", "functions_both_1-ef56ab78"), None),
        (("call_1", "call_10"), None),
        (("functions.both:0",), None),
    ],
)
def test_a_question_has_a_name_that_tells_it_from_the_others(ids: tuple[str, ...], names: list[str] | None) -> None:
    prompts = OpenPrompts()
    opened = [prompts.open(request(id)) for id in ids]
    assert list(prompts.names().values()) == (names or list(ids))
    assert [prompts.find(name) for name in prompts.names().values()] == opened


def test_two_calls_with_the_same_id_have_a_name_each() -> None:
    prompts = OpenPrompts()
    opened = [prompts.open(request("call_0")) for _ in range(2)]
    first, second = prompts.names().values()
    assert [prompts.find(first), prompts.find(second)] == opened
    with pytest.raises(UsageError, match=rf"more than one .* Open: {first} \(Bash\), {second} \(Bash\)"):
        prompts.find("call_0")
