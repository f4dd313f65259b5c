"""A model's answer as its calls see it when they begin: each of them sees more of it."""

from __future__ import annotations

from ..core.blocks import Block, Message, TextBlock, ToolUse


class GrowingAnswer:
    """Knows the calls and the text of an answer. What was looked at once is not looked at again: an answer may have
    thousands of calls, and each of them asks."""

    def __init__(self) -> None:
        self._seen: tuple[Block, ...] = ()
        """The answer up to its last call: a text behind that may still grow."""
        self._ids: set[str] = set()
        self._said = ""
        self.text = ""

    def see(self, answer: Message) -> None:
        """The answer is this now: the one before with more in it, or another one."""
        blocks = answer.content
        if blocks[: len(self._seen)] != self._seen:
            self._seen, self._ids, self._said = (), set(), ""
        texts = [self._said]
        for at, block in enumerate(blocks[len(self._seen) :], len(self._seen) + 1):
            if isinstance(block, TextBlock):
                texts.append(block.text)
            elif isinstance(block, ToolUse):
                self._ids.add(block.id)
                self._seen, self._said = blocks[:at], "".join(texts)
                texts = [self._said]
        self.text = "".join(texts)

    def has_call(self, tool_use_id: str) -> bool:
        """Whether this call belongs to it."""
        return tool_use_id in self._ids
