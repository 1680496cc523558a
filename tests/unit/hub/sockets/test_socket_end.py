"""WebSockets whose other end does not answer a close frame."""

from __future__ import annotations

import trio
from trio.testing import MockClock

from kapture.hub.sockets.socket_end import close_socket


class SilentSocket:
    """Its other end never agrees to the close."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, str]] = []

    async def aclose(self, code: int = 1000, reason: str = "") -> None:
        self.sent.append((code, reason))
        await trio.sleep_forever()


async def test_a_socket_whose_other_end_is_silent_is_left_after_a_second(autojump_clock: MockClock) -> None:
    socket, start = SilentSocket(), trio.current_time()
    await close_socket(socket, 1008, "no token")
    assert socket.sent == [(1008, "no token")]
    assert trio.current_time() - start == 1


async def test_a_close_frame_is_sent_by_a_cancelled_task_too(autojump_clock: MockClock) -> None:
    socket, start = SilentSocket(), trio.current_time()
    with trio.CancelScope() as scope:
        scope.cancel()
        await close_socket(socket, seconds=5, shield=True)
    assert socket.sent == [(1000, "")]
    assert trio.current_time() - start == 5
