from __future__ import annotations

from kapture import errors
from kapture.errors import ErrorCode, KaptureError


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
