"""What clients' raw commands have set is undone when their grant ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kapture.cdp import CdpCommand, CdpConnection, PendingReply
from kapture.page.client_settings import ClientSettings

AGENT = {"userAgent": "another"}
SCRIPT = {"source": "1"}


class Browser:
    """Keeps what it is sent; commands are answered when the test says so."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Mapping[str, Any], str | None]] = []
        self.replies: list[PendingReply] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append((method, params, session_id))
        self.replies.append(PendingReply())
        return self.replies[-1]

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        raise AssertionError("settings are sent one by one")


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.fixture
def connection(browser: Browser) -> CdpConnection:
    return CdpConnection(browser)


def test_settings_and_scripts_are_undone_in_the_session_that_they_were_made_in(
    browser: Browser, connection: CdpConnection
) -> None:
    settings, frame = ClientSettings(connection.root), connection.session("F")
    settings.submit(connection.root, "Network.setUserAgentOverride", AGENT)
    settings.submit(frame, "Network.setExtraHTTPHeaders", {"headers": {"x": "1"}})
    settings.submit(connection.root, "Fetch.enable", {})
    settings.submit(connection.root, "Page.addScriptToEvaluateOnNewDocument", SCRIPT)
    browser.replies[-1].resolve({"identifier": "7"})
    settings.submit(connection.root, "DOM.getDocument", {})
    browser.sent.clear()

    settings.end()
    assert sorted(browser.sent, key=str) == [
        ("Fetch.disable", {}, None),
        ("Network.setExtraHTTPHeaders", {"headers": {}}, "F"),
        ("Network.setUserAgentOverride", {"userAgent": ""}, None),
        ("Page.removeScriptToEvaluateOnNewDocument", {"identifier": "7"}, None),
    ]
    browser.sent.clear()
    settings.end()
    assert browser.sent == []


def test_a_script_that_is_added_while_the_grant_ends_is_removed_when_it_is_known(
    browser: Browser, connection: CdpConnection
) -> None:
    settings = ClientSettings(connection.root)
    settings.submit(connection.root, "Page.addScriptToEvaluateOnNewDocument", SCRIPT)
    settings.end()
    assert len(browser.sent) == 1
    browser.replies[0].resolve({"identifier": "7"})
    assert browser.sent[1:] == [("Page.removeScriptToEvaluateOnNewDocument", {"identifier": "7"}, None)]


def test_nothing_is_undone_that_the_hub_needs_or_that_has_ended_with_its_session(
    browser: Browser, connection: CdpConnection
) -> None:
    settings, frame = ClientSettings(connection.root), connection.session("F")
    for method in ("Emulation.setFocusEmulationEnabled", "Page.setLifecycleEventsEnabled"):
        settings.submit(connection.root, method, {"enabled": True})
    settings.submit(frame, "Network.setUserAgentOverride", AGENT)
    settings.forget(frame)
    browser.sent.clear()
    settings.end()
    assert browser.sent == []
