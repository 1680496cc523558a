from __future__ import annotations

import pytest
from wsproto.connection import Connection, ConnectionType
from wsproto.events import TextMessage

from kapture.client.text_frame import text_frame


@pytest.mark.parametrize("size", [*range(9), 125, 126, 16_383, 16_384, 16_385, 32_768, 40_001, 65_535, 65_536, 200_003])
def test_a_message_of_any_size_is_framed_and_masked(size: int) -> None:
    message = (b"0123456789" * (size // 10 + 1))[:size]
    frame, hub = text_frame(message), Connection(ConnectionType.SERVER)
    hub.receive_data(frame)
    (event,) = hub.events()
    assert event == TextMessage(data=message.decode())
    assert size < 8 or message[-8:] not in frame
