from __future__ import annotations

import pytest

from kapture.cli.launch import split_flags
from kapture.errors import ErrorCode, KaptureError


def test_addresses_and_flags_of_the_browser_are_told_apart() -> None:
    assert split_flags(["about:blank", "--lang=de", "http://a/"]) == (["about:blank", "http://a/"], ["--lang=de"])


@pytest.mark.parametrize(
    "flag", ["--user-data-dir=/home/me/p", "-user-data-dir=/home/me/p", "--User-Data-Dir=x", "-profile-directory=Work"]
)
def test_no_spelling_that_a_browser_understands_chooses_a_persons_own_profile(flag: str) -> None:
    with pytest.raises(KaptureError, match="the profile could be your own") as caught:
        split_flags([flag])
    assert caught.value.code is ErrorCode.INVALID_PARAMS
