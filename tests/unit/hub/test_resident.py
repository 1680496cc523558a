from __future__ import annotations

import sys

import pytest

from kapture.hub.resident import resident_bytes


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the most is known, or nothing")
def test_a_large_object_shows_in_the_memory_of_the_process() -> None:
    before = resident_bytes()
    held = bytearray(b"x") * 64 * 2**20
    after = resident_bytes()
    assert before is not None
    assert after is not None
    assert after - before > 48 * 2**20
    assert len(held) == 64 * 2**20
