from __future__ import annotations

import mmap
import sys

import pytest

from kapture.hub.process_memory import resident_bytes

_MIB = 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the most is known, or nothing")
def test_memory_that_is_written_to_shows_in_the_memory_of_the_process() -> None:
    # A mapping of its own: memory from the allocator may be some that the process has and counts already.
    with mmap.mmap(-1, 64 * _MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as held:
        before = resident_bytes()
        held.write(b"x" * (64 * _MIB))
        after = resident_bytes()
    assert before is not None
    assert after is not None
    assert after - before > 48 * _MIB
