"""The browser's sentences and what they mean."""

from __future__ import annotations

import pytest

from kapture.cdp import CdpError, Refusal, is_gone
from kapture.errors import ErrorCode, KaptureError

SENTENCES = {
    "Cannot find context with specified id": Refusal.GONE,
    "uniqueContextId not found": Refusal.GONE,
    "Execution context was destroyed.": Refusal.GONE,
    "Inspected target navigated or closed": Refusal.GONE,
    "Session with given id not found.": Refusal.GONE,
    "No frame for given id found": Refusal.GONE,
    "Debugger is not attached to the tab with id: 7.": Refusal.DEBUGGER_DETACHED,
    "Detached while handling command.": Refusal.DEBUGGER_DETACHED,
    "No SW": Refusal.DEBUGGER_DETACHED,
    "Execution was terminated": Refusal.SCRIPT_TERMINATED,
    "Internal error": Refusal.SCRIPT_TERMINATED,
    "Cannot navigate to invalid URL": Refusal.INVALID_URL,
    "Not allowed": Refusal.FILE_NOT_ALLOWED,
    "Page range exceeds page count": Refusal.PAGE_RANGE,
}


@pytest.mark.parametrize(("sentence", "refusal"), SENTENCES.items())
def test_each_sentence_has_one_meaning(sentence: str, refusal: Refusal) -> None:
    assert [one for one in Refusal if CdpError("A.b", sentence).means(one)] == [refusal]


def test_what_is_gone_is_distinguished_from_what_was_refused() -> None:
    assert is_gone(CdpError("Runtime.evaluate", "Cannot find context with specified id"))
    assert is_gone(KaptureError(ErrorCode.DETACHED, "The page navigated to another document while this ran."))
    assert not is_gone(CdpError("DOM.focus", "Element is not focusable"))
    assert not is_gone(KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open."))
