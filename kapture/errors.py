"""Every way in which Kapture can fail, and the one exception that carries it.

An error says what happened (`message`), what to do next (`hint`), and carries `data` that helps to do it
(candidates, the open dialog, the policy rule). The codes are part of the protocol: clients match on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self, TypeVar

Failure = TypeVar("Failure", bound=BaseException)


class ErrorCode(StrEnum):
    """The stable name of a failure, as it crosses every wire."""

    TAB_NOT_FOUND = "TAB_NOT_FOUND"
    TAB_DISCONNECTED = "TAB_DISCONNECTED"
    COMMAND_TIMEOUT = "COMMAND_TIMEOUT"
    QUEUE_FULL = "QUEUE_FULL"
    TAB_BUSY = "TAB_BUSY"
    CANCELLED = "CANCELLED"
    INVALID_PARAMS = "INVALID_PARAMS"
    UNKNOWN_COMMAND = "UNKNOWN_COMMAND"
    INVALID_SELECTOR = "INVALID_SELECTOR"
    ELEMENT_NOT_FOUND = "ELEMENT_NOT_FOUND"
    ELEMENT_AMBIGUOUS = "ELEMENT_AMBIGUOUS"
    ELEMENT_NOT_ACTIONABLE = "ELEMENT_NOT_ACTIONABLE"
    VALUE_REFUSED = "VALUE_REFUSED"
    REF_EXPIRED = "REF_EXPIRED"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    NAVIGATION_FAILED = "NAVIGATION_FAILED"
    DIALOG_OPEN = "DIALOG_OPEN"
    DETACHED = "DETACHED"
    POLICY_DENIED = "POLICY_DENIED"
    UNAUTHORIZED = "UNAUTHORIZED"
    NO_BACKEND = "NO_BACKEND"
    UNSUPPORTED = "UNSUPPORTED"
    LAUNCH_FAILED = "LAUNCH_FAILED"
    DOWNLOAD_FAILED = "DOWNLOAD_FAILED"
    UPLOAD_FAILED = "UPLOAD_FAILED"
    PROTOCOL_ERROR = "PROTOCOL_ERROR"
    SCENARIO_INVALID = "SCENARIO_INVALID"
    SCENARIO_FAILED = "SCENARIO_FAILED"


class _Names(dict[str, str]):
    """Names by command and parameter; one that has no other is its own."""

    def __missing__(self, name: str) -> str:
        return name


_OWN = {
    "look": "take a snapshot",
    "Look": "Take a snapshot",
    "by_text": "text, or role with name",
}


def _filled(sentence: str, values: Mapping[str, str]) -> str:
    """Return the sentence with its fields filled, or as it is if its braces are not those of fields."""
    try:
        return sentence.format_map(values)
    except (ValueError, IndexError, AttributeError, TypeError):
        return sentence


class Wording:
    """Sentences that name commands and parameters, which each client knows under names of its own.

    A sentence is a template for `str.format`: `{handle_dialog}` is the tool of that command, `{timeout}` a parameter,
    `{look}` how a client looks at the page (`{Look}` begins a sentence), `{by_text}` how it names an element by its
    text. `values` fill the other fields.
    """

    def __init__(self, *sentences: str, **values: object) -> None:
        self._sentences = sentences
        self._values = {name: str(value) for name, value in values.items()}

    def named(self, names: Mapping[str, str]) -> str:
        """Return the sentences in these names, without the sentences that need others."""
        known = {**self._values, **names}
        kept = []
        for sentence in self._sentences:
            try:
                kept.append(_filled(sentence, known))
            except KeyError:
                continue
        return " ".join(kept)

    def complete(self, names: Mapping[str, str]) -> str:
        """Return all sentences, in these names where there are any, else in Kapture's own."""
        known = _Names({**_OWN, **self._values, **names})
        return " ".join(_filled(sentence, known) for sentence in self._sentences)

    def adding(self, sentence: str) -> Wording:
        """Return the sentences and one more, without names."""
        return Wording(*self._sentences, "{one_more}", **self._values, one_more=sentence)

    def __bool__(self) -> bool:
        return any(self._sentences)

    def __str__(self) -> str:
        return self.complete({})


class KaptureError(Exception):
    """A failure that is reported to the client.

    `message` is one or two sentences about what happened; `hint` one about what to do next; `data` is a
    JSON-compatible mapping for programs. None of them may hold a secret. `quotes_page`: the message contains text of a
    page or of a scenario's file, although other errors with this code do not (see `kapture.mcp.results`). The hint
    never contains any. `advice` is the hint with the names in it as data.

    Codes that callers handle have a class of their own, which `KaptureError(code, …)` picks as `OSError` picks its
    subclass by `errno`: `except PolicyDenied` catches every error with the code `POLICY_DENIED`.
    """

    def __new__(cls, code: ErrorCode | None = None, *_: Any, **__: Any) -> KaptureError:
        """An instance of the class that belongs to the code."""
        chosen = _CLASSES.get(code, cls) if cls is KaptureError and code is not None else cls
        return super().__new__(chosen)

    def __init__(
        self,
        code: ErrorCode,
        message: str | Wording,
        *,
        hint: str | Wording = "",
        data: Mapping[str, Any] | None = None,
        quotes_page: bool = False,
    ) -> None:
        super().__init__(str(message))
        self.code = code
        self.message = str(message)
        self.advice = hint
        self.quotes_page = quotes_page
        self.data: dict[str, Any] = dict(data or {})
        self._told = message

    @property
    def hint(self) -> str:
        """Return the next step, in Kapture's own names of commands and parameters."""
        return str(self.advice)

    def named(self, names: Mapping[str, str]) -> KaptureError:
        """Return the same error in the names that a client has for commands and parameters."""
        message = self._told.complete(names) if isinstance(self._told, Wording) else self.message
        hint = self.advice.named(names) if isinstance(self.advice, Wording) else self.advice
        return KaptureError(self.code, message, hint=hint, data=self.data, quotes_page=self.quotes_page)

    def adding(self, sentence: str) -> Self:
        """Return it with one more sentence in its message, if there is one."""
        if not sentence:
            return self
        self.message = f"{self.message} {sentence}"
        if isinstance(self._told, Wording):
            self._told = self._told.adding(sentence)
        return self

    @property
    def explanation(self) -> str:
        """Message and hint as sentences for a person, who has no use for the code."""
        return f"{self.message} {self.hint}".rstrip()

    def __str__(self) -> str:
        return f"{self.code}: {self.explanation}"


class TabNotFound(KaptureError):  # noqa: N818  named as its code is
    """No tab has or had this id."""


class TabDisconnected(KaptureError):  # noqa: N818  named as its code is
    """The tab is not connected; what ran may have taken effect."""


class CommandTimeout(KaptureError):  # noqa: N818  named as its code is
    """The call's timeout has passed; what ran may have taken effect."""


class Cancelled(KaptureError):  # noqa: N818  named as its code is
    """The client cancelled the command."""


class InvalidParams(KaptureError):  # noqa: N818  named as its code is
    """The arguments are invalid."""


class UnknownCommand(KaptureError):  # noqa: N818  named as its code is
    """There is no command of this name."""


class InvalidSelector(KaptureError):  # noqa: N818  named as its code is
    """The selector has a syntax error."""


class ElementNotFound(KaptureError):  # noqa: N818  named as its code is
    """Nothing on the page matches the target."""


class ElementAmbiguous(KaptureError):  # noqa: N818  named as its code is
    """Several elements match the target."""


class ElementNotActionable(KaptureError):  # noqa: N818  named as its code is
    """The element is there but cannot be acted on."""


class RefExpired(KaptureError):  # noqa: N818  named as its code is
    """The ref belongs to an element or document that is gone."""


class ExecutionFailed(KaptureError):  # noqa: N818  named as its code is
    """The page, the browser or Kapture itself failed while the command ran."""


class DialogOpen(KaptureError):  # noqa: N818  named as its code is
    """A dialog, or something like one, blocks the page. `lets`: the commands that work all the same, as they end it."""

    lets: frozenset[str] = frozenset()


class Detached(KaptureError):  # noqa: N818  named as its code is
    """The page, frame or session that the command addressed has gone."""


class PolicyDenied(KaptureError):  # noqa: N818  named as its code is
    """A grant, a policy file or a person does not allow it."""


class Unauthorized(KaptureError):  # noqa: N818  named as its code is
    """The other side did not prove who it is."""


class NoBackend(KaptureError):  # noqa: N818  named as its code is
    """No hub and no browser is available."""


class Unsupported(KaptureError):  # noqa: N818  named as its code is
    """The tab, its backend or the browser cannot do it."""


class DownloadFailed(KaptureError):  # noqa: N818  named as its code is
    """A download did not succeed."""


class ProtocolError(KaptureError):
    """A message does not follow the protocol."""


_CLASSES: Mapping[ErrorCode, type[KaptureError]] = {
    ErrorCode.TAB_NOT_FOUND: TabNotFound,
    ErrorCode.TAB_DISCONNECTED: TabDisconnected,
    ErrorCode.COMMAND_TIMEOUT: CommandTimeout,
    ErrorCode.CANCELLED: Cancelled,
    ErrorCode.INVALID_PARAMS: InvalidParams,
    ErrorCode.UNKNOWN_COMMAND: UnknownCommand,
    ErrorCode.INVALID_SELECTOR: InvalidSelector,
    ErrorCode.ELEMENT_NOT_FOUND: ElementNotFound,
    ErrorCode.ELEMENT_AMBIGUOUS: ElementAmbiguous,
    ErrorCode.ELEMENT_NOT_ACTIONABLE: ElementNotActionable,
    ErrorCode.REF_EXPIRED: RefExpired,
    ErrorCode.EXECUTION_ERROR: ExecutionFailed,
    ErrorCode.DIALOG_OPEN: DialogOpen,
    ErrorCode.DETACHED: Detached,
    ErrorCode.POLICY_DENIED: PolicyDenied,
    ErrorCode.UNAUTHORIZED: Unauthorized,
    ErrorCode.NO_BACKEND: NoBackend,
    ErrorCode.UNSUPPORTED: Unsupported,
    ErrorCode.DOWNLOAD_FAILED: DownloadFailed,
    ErrorCode.PROTOCOL_ERROR: ProtocolError,
}


def internal_error(name: str, error: Exception) -> KaptureError:
    """`EXECUTION_ERROR` for a mistake of ours in a command or tool. What the error says goes to the log only."""
    return KaptureError(
        ErrorCode.EXECUTION_ERROR,
        f"{name} failed because of a bug in Kapture ({type(error).__name__}).",
        hint="The hub's log has the details.",
    )


def leaves(group: BaseExceptionGroup[Failure]) -> list[Failure]:
    """The leaf exceptions of an exception group, however deeply it is nested."""
    return [
        leaf
        for error in group.exceptions
        for leaf in (leaves(error) if isinstance(error, BaseExceptionGroup) else [error])
    ]
