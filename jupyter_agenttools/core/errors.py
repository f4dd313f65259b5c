"""Every error of the project, as one tree.

::

    AgentToolsError
    ├── ToolError                    the model is told; the call ends with an error result
    │   ├── UnknownToolError         no tool of that name
    │   ├── InputValidationError     the input does not fit the schema
    │   ├── ToolValidationError      the input fits the schema but cannot work (missing file, bad range …)
    │   ├── PermissionDeniedError    a rule, a mode, a hook or a person said no
    │   ├── InterruptedToolError     somebody stopped it
    │   └── ToolTimeoutError         it ran out of its time
    ├── ModelError                   the model could not answer; the turn ends, the conversation can go on
    │   ├── ModelBusyError           rate limit or overload: later it may answer
    │   ├── ModelConnectionError     it could not be reached, or its stream broke off
    │   ├── ContextOverflowError     the conversation does not fit into the model's window
    │   └── ReplayMismatchError      a recording does not hold what is asked
    └── UsageError                   a person is told, in one line and without a traceback
        ├── RuleSyntaxError          a permission rule that cannot be read
        ├── SettingsError            a settings value or file that cannot be used
        └── UnsupportedKernelError   this kernel cannot run the extension

Anything that is not in this tree is a fault of ours: the person sees it with its traceback, the model is told
of an internal error without one.
"""

from __future__ import annotations

from typing import ClassVar


class AgentToolsError(Exception):
    """The root of the tree."""


class ToolError(AgentToolsError):
    """A call that cannot succeed, told to the model in its ``tool_result``.

    Args:
        message: what happened, to which path or call, and what to do next.
        check_id: the stable id of the check that refused, for tests and documents.
    """

    kind: ClassVar[str] = "ToolError"
    retryable: ClassVar[bool] = False
    """Whether the same call, or a corrected one, may succeed."""
    message: str = ""
    check_id: str = ""

    def __init__(self, message: str, *, check_id: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.check_id = check_id


class UnknownToolError(ToolError):
    kind = "UnknownToolError"
    retryable = True


class InputValidationError(ToolError):
    kind = "InputValidationError"
    retryable = True


class ToolValidationError(ToolError):
    kind = "ToolValidationError"
    retryable = True


class PermissionDeniedError(ToolError):
    kind = "PermissionDenied"


class InterruptedToolError(ToolError):
    kind = "Interrupted"


class ToolTimeoutError(ToolError):
    kind = "Timeout"
    retryable = True


class ModelError(AgentToolsError):
    """A model could not answer. The message says what happened and what to do; it holds no key and no request."""

    retryable: ClassVar[bool] = False
    """Whether asking the same again may succeed."""


class ModelBusyError(ModelError):
    """The provider refuses for now.

    Args:
        retry_after_s: seconds after which it wants to be asked again, ``None`` when it did not say.
    """

    retryable = True

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelConnectionError(ModelError):
    """The provider could not be reached, failed, or its stream broke off."""

    retryable = True


class ContextOverflowError(ModelError):
    """The request is bigger than the model's window."""


class ReplayMismatchError(ModelError):
    """A recording was asked something else than what it holds."""


class UsageError(AgentToolsError):
    """A person's mistake: shown as its message alone."""


class RuleSyntaxError(UsageError):
    """A permission rule that cannot be read."""


class SettingsError(UsageError):
    """A settings value or file that cannot be used."""


class UnsupportedKernelError(UsageError):
    """This kernel cannot run the extension."""
