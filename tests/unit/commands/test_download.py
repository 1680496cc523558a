"""A download that is refused: for where it comes from, and while it is asked after twice at once."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
import trio

from kapture.commands.files import _complete
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


@attrs.define
class Redirected:
    """A tab that may open `https://a.example/`, whose browser downloads from elsewhere: `ends` at this address when it
    is complete, which is soon or, if it `runs`, never."""

    ends: str
    runs: bool = False
    url: str = "https://a.example/"

    @property
    def page(self) -> Redirected:
        return self

    @property
    def browser(self) -> Redirected:
        return self

    @property
    def files(self) -> Redirected:
        return self

    def gate(self, url: str) -> bool:
        return url.startswith("https://a.example/")

    def max_download_bytes(self) -> int:
        return 100

    async def progress(self, *_: Any) -> None:
        await trio.lowlevel.checkpoint()

    async def download(self, step: dict[str, Any]) -> dict[str, Any]:
        if step["action"] == "wait":
            await trio.sleep(float("inf") if self.runs else 0)
            return {"state": "complete", "url": self.ends, "bytes": 1}
        return {"url": self.ends if self.runs else self.url, "bytes": 1}


@pytest.mark.parametrize("runs", [True, False], ids=["while it runs", "when it is complete"])
async def test_a_download_that_was_redirected_out_of_the_grant_is_refused(runs: bool, autojump_clock: Any) -> None:
    tab: Any = Redirected("https://b.example/", runs=runs)
    with trio.fail_after(60), pytest.raises(PolicyDenied):
        await _complete(tab, 1)
    tab = Redirected("https://a.example/file")
    assert (await _complete(tab, 1))["url"] == "https://a.example/file"
