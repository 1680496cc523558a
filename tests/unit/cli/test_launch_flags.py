from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import click
import pytest
import trio

from kapture.cli import launch
from kapture.cli.launch import parse_sites, split_flags
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import browsers as wire
from kapture.wire.messages import WireGrant


def test_addresses_and_flags_of_the_browser_are_told_apart() -> None:
    assert split_flags(["about:blank", "--lang=de", "http://a/"]) == (["about:blank", "http://a/"], ["--lang=de"])


@pytest.mark.parametrize(
    "flag", ["--user-data-dir=/home/me/p", "-user-data-dir=/home/me/p", "--User-Data-Dir=x", "-profile-directory=Work"]
)
def test_no_spelling_that_a_browser_understands_chooses_a_persons_own_profile(flag: str) -> None:
    with pytest.raises(KaptureError, match="the profile could be your own") as caught:
        split_flags([flag])
    assert caught.value.code is ErrorCode.INVALID_PARAMS


@pytest.mark.parametrize("sites", [("",), (" , ",)])
def test_a_grant_for_no_site_is_refused(sites: tuple[str, ...]) -> None:
    with pytest.raises(click.UsageError, match="--sites names no site"):
        parse_sites(sites)


@pytest.mark.parametrize(
    ("hub_ended", "words"), [(True, "The hub has ended, and the browser with it"), (False, "The browser has ended")]
)
async def test_a_browser_with_the_extension_does_not_end_in_silence(
    monkeypatch: pytest.MonkeyPatch, hub_ended: bool, words: str
) -> None:
    class Ended:
        problems = tab_ids = ()
        hub = SimpleNamespace(closed=trio.Event())

        async def tabs(self) -> list[Any]:
            return []

        async def ended(self) -> None:
            await trio.lowlevel.checkpoint()

    @asynccontextmanager
    async def launched(*_: object, **__: object) -> AsyncIterator[Any]:
        browser: Any = Ended()
        browser.hub.tabs = browser.tabs
        if hub_ended:
            browser.hub.closed.set()
        yield browser

    monkeypatch.setattr(launch, "launched_browser", launched)
    settings: Any = None
    with pytest.raises(KaptureError, match=words):
        await launch.run_with_extension(
            settings, wire.Launch(grant=WireGrant(sites=["*"], level="full"), browser="", headless=True), as_json=True
        )
