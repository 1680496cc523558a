"""A download that is refused while it is asked after twice at once."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
import trio

from kapture.commands.files.download import _complete
from kapture.errors import DownloadFailed, ErrorCode, KaptureError, PolicyDenied, TabDisconnected


@attrs.define
class Answers:
    """A tab whose browser answers to each step with an error, to all of them at the same moment."""

    errors: dict[str, KaptureError]

    @property
    def browser(self) -> Answers:
        return self

    @property
    def files(self) -> Answers:
        return self

    def max_download_bytes(self) -> int:
        return 100

    async def download(self, step: dict[str, Any]) -> dict[str, Any]:
        await trio.lowlevel.cancel_shielded_checkpoint()
        raise self.errors[step["action"]]


DENIED = PolicyDenied(ErrorCode.POLICY_DENIED, "Outside the grant.")
GONE = DownloadFailed(ErrorCode.DOWNLOAD_FAILED, "This tab has no download 1.")
AWAY = TabDisconnected(ErrorCode.TAB_DISCONNECTED, "The tab is gone.")


@pytest.mark.parametrize(
    ("wait", "status", "told"),
    [(DENIED, DENIED, DENIED), (GONE, DENIED, DENIED), (DENIED, GONE, DENIED), (AWAY, AWAY, AWAY)],
)
async def test_the_reason_is_told_once_and_a_refusal_before_what_it_led_to(
    wait: KaptureError, status: KaptureError, told: KaptureError
) -> None:
    tab: Any = Answers({"wait": wait, "status": status})
    with pytest.raises(type(told)) as caught:
        await _complete(tab, 1)
    assert caught.value is told
