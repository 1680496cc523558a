from __future__ import annotations

import pytest

from kapture import errors
from kapture.cdp import CdpError
from kapture.errors import ErrorCode, ExecutionFailed, KaptureError, PolicyDenied, TabDisconnected


def test_an_error_is_caught_by_the_class_of_its_code() -> None:
    with pytest.raises(PolicyDenied) as denied:
        raise KaptureError(ErrorCode.POLICY_DENIED, "No.", hint="Ask.", data={"rule": "grant"})
    error = denied.value
    assert (error.code, error.message, error.hint, error.data) == ("POLICY_DENIED", "No.", "Ask.", {"rule": "grant"})
    assert not isinstance(error, TabDisconnected)


def test_a_code_without_a_class_of_its_own_is_a_plain_error() -> None:
    assert type(KaptureError(ErrorCode.QUEUE_FULL, "Full.")) is KaptureError


def test_a_class_that_sets_its_own_code_keeps_its_type() -> None:
    assert type(CdpError("Page.enable", "No such method", -32601)) is CdpError


def test_a_refusal_of_the_browser_is_caught_as_a_failed_execution() -> None:
    with pytest.raises(ExecutionFailed) as refused:
        raise CdpError("Emulation.setTimezoneOverride", "Timezone override is already in effect")
    assert refused.value.code == "EXECUTION_ERROR"


def test_every_class_belongs_to_exactly_one_code() -> None:
    classes = [type(KaptureError(code, "x")) for code in ErrorCode]
    own = [found for found in classes if found is not KaptureError]
    declared = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, KaptureError) and value is not KaptureError
    ]
    assert sorted(map(repr, own)) == sorted(map(repr, declared))


def test_a_person_reads_what_happened_and_what_to_do_without_the_code() -> None:
    error = KaptureError(ErrorCode.UNAUTHORIZED, "hub.json could not be written.", hint="Make room on its disk.")
    assert error.explanation == "hub.json could not be written. Make room on its disk."
    assert str(error) == f"UNAUTHORIZED: {error.explanation}"
    assert KaptureError(ErrorCode.UNAUTHORIZED, "No hint.").explanation == "No hint."
