"""Every way in which Kapture can fail, and the one exception that carries it.

An error says what happened (`message`), what to do next (`hint`), and carries `data` that helps to do it
(candidates, the open dialog, the policy rule). The codes are part of the protocol: clients match on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class ErrorCode(StrEnum):
    """The stable name of a failure, as it crosses every wire."""

    TAB_NOT_FOUND = "TAB_NOT_FOUND"
    TAB_DISCONNECTED = "TAB_DISCONNECTED"
    COMMAND_TIMEOUT = "COMMAND_TIMEOUT"
    QUEUE_FULL = "QUEUE_FULL"
    CANCELLED = "CANCELLED"
    INVALID_PARAMS = "INVALID_PARAMS"
    UNKNOWN_COMMAND = "UNKNOWN_COMMAND"
    INVALID_SELECTOR = "INVALID_SELECTOR"
    ELEMENT_NOT_FOUND = "ELEMENT_NOT_FOUND"
    ELEMENT_AMBIGUOUS = "ELEMENT_AMBIGUOUS"
    ELEMENT_NOT_ACTIONABLE = "ELEMENT_NOT_ACTIONABLE"
    REF_EXPIRED = "REF_EXPIRED"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    NAVIGATION_FAILED = "NAVIGATION_FAILED"
    DIALOG_OPEN = "DIALOG_OPEN"
    DETACHED = "DETACHED"
    POLICY_DENIED = "POLICY_DENIED"
    UNAUTHORIZED = "UNAUTHORIZED"
    NO_BACKEND = "NO_BACKEND"
    LAUNCH_FAILED = "LAUNCH_FAILED"
    DOWNLOAD_FAILED = "DOWNLOAD_FAILED"
    UPLOAD_FAILED = "UPLOAD_FAILED"
    PROTOCOL_ERROR = "PROTOCOL_ERROR"
    SCENARIO_INVALID = "SCENARIO_INVALID"
    SCENARIO_FAILED = "SCENARIO_FAILED"


class KaptureError(Exception):
    """A failure that a client is told about.

    `message` is one or two sentences about what happened; `hint` one about what to do next; `data` is a
    JSON-compatible mapping for programs. Nothing secret may stand in any of them.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        hint: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.data: dict[str, Any] = dict(data or {})

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" {self.hint}" if self.hint else "")


def leaves(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    """The errors of an exception group, however deeply it is nested."""
    return [
        leaf
        for error in group.exceptions
        for leaf in (leaves(error) if isinstance(error, BaseExceptionGroup) else [error])
    ]
