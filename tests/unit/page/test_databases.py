"""How often a page is asked for its databases."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from trio.testing import MockClock

from kapture.errors import Detached, ErrorCode
from kapture.page.databases import Databases


class Frame:
    """A frame with a document, which says whether it has databases."""

    def __init__(self, loader_id: str, *answers: bool | None, granted: bool = True) -> None:
        self.loader_id = loader_id
        self.granted = granted
        self.why_silent = ""
        self.asked = 0
        self._answers = answers

    async def call(self, name: str) -> bool:
        assert name == "hasDatabases"
        self.asked += 1
        answer = self._answers[min(self.asked, len(self._answers)) - 1]
        if answer is None:
            raise Detached(ErrorCode.DETACHED, "gone")
        return answer


def of(*frames: Frame) -> Databases:
    tree: Any = SimpleNamespace(all=lambda: list(frames))
    return Databases(tree)


async def test_that_there_are_none_is_asked_again_after_two_seconds(mock_clock: MockClock) -> None:
    frame = Frame("L1", False, True)
    databases = of(frame)
    assert not await databases.exist()
    mock_clock.jump(1.9)
    assert not await databases.exist()
    assert frame.asked == 1
    mock_clock.jump(0.1)
    assert await databases.exist()


async def test_that_there_are_some_holds_as_long_as_the_documents_stay(mock_clock: MockClock) -> None:
    frame = Frame("L1", True, False)
    databases = of(frame)
    assert await databases.exist()
    mock_clock.jump(60)
    assert await databases.exist()
    frame.loader_id = "L2"
    assert not await databases.exist()


async def test_only_documents_that_may_be_read_and_are_there_are_asked() -> None:
    frames = [Frame("L1", None), Frame("L2", True, granted=False), Frame("L3", False)]
    assert not await of(*frames).exist()
    assert [frame.asked for frame in frames] == [1, 0, 1]
    assert await of(*frames, Frame("L4", True)).exist()
