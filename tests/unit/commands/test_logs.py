from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.cdp import CdpConnection
from kapture.commands.console import Logs, logs, select_entries
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import decode_arguments
from kapture.commands.core.registry import get_command
from kapture.page.console import ConsoleLog, LogEntry
from kapture.page.typed_secrets import TypedSecrets
from tests.support.cdp_transports import EmptyTransport


def only_shop(url: str) -> bool:
    return url.startswith("https://shop.test/")


class Kept(ConsoleLog):
    """A log with these entries, oldest first."""

    def __init__(self, *entries: LogEntry) -> None:
        super().__init__(lambda session, frame: (), lambda request: ())
        self.kept = entries

    def newest_first(self) -> Any:
        return reversed(self.kept)


def entry(seq: int, message: str, owners: tuple[str, ...] = ("https://shop.test/",), **more: Any) -> LogEntry:
    return LogEntry(
        **{"seq": seq, "timestamp": 1, "level": "error", "source": "console", **more}, message=message, owners=owners
    )


def test_an_entry_that_may_be_another_documents_is_withheld_whatever_is_looked_for() -> None:
    log = Kept(
        entry(1, "mine"),
        entry(2, "PIN 1234", ("https://bank.test/",)),
        entry(3, "PIN 1234", ("https://shop.test/", "https://bank.test/")),
        entry(4, "PIN 1234", ("unknown:",)),
    )
    chosen, _, hidden = select_entries(log, Logs(), 100, None, only_shop, TypedSecrets())
    assert [one.message for one in chosen] == ["mine"]
    guesses = [
        select_entries(log, Logs(text=text), 100, None, only_shop, TypedSecrets())[2] for text in ("1234", "9999")
    ]
    assert guesses == [hidden, hidden] == [3, 3], "the number tells whether a guess is right"


def test_the_browsers_remarks_name_only_the_origin_of_what_is_outside_the_grant() -> None:
    remark = entry(
        1,
        "Access to 'https://bank.test/in?code=1' (redirected from 'https://shop.test/go') was blocked",
        source="network",
        about="https://bank.test/in?code=1",
        location="in",
    )
    (shown,), _, _ = select_entries(Kept(remark), Logs(), 100, None, only_shop, TypedSecrets())
    assert shown.message == "Access to 'https://bank.test/…' (redirected from 'https://shop.test/go') was blocked"
    assert shown.location == ""
    own = entry(2, "see https://bank.test/in?code=1", source="console", location="app.js:1")
    assert select_entries(Kept(own), Logs(), 100, None, only_shop, TypedSecrets())[0] == [own], (
        "a page's own words stay its own"
    )


async def test_watching_waits_its_time_for_what_is_logged_meanwhile(mock_clock: MockClock) -> None:
    connection = CdpConnection(EmptyTransport())
    log = ConsoleLog(lambda session, frame: ("https://shop.test/",), lambda request: ())
    await log.observe(connection.root)

    def say(text: str) -> None:
        message = {"type": "log", "timestamp": 1, "args": [{"type": "string", "value": text}]}
        connection.deliver("Runtime.consoleAPICalled", message, None)

    seen: list[str] = []

    async def watch() -> None:
        tab = cast(
            "TabContext",
            SimpleNamespace(
                page=SimpleNamespace(console=log, gate=only_shop, typed_secrets=TypedSecrets()),
                arguments=decode_arguments(get_command("logs"), {"tabId": "abcdefgh"}),
            ),
        )
        seen.extend(one.message for one in (await logs(tab, Logs(watch_ms=2_000))).entries)

    say("before")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        await wait_all_tasks_blocked()
        say("later")
        mock_clock.jump(1.9)
        await wait_all_tasks_blocked()
        assert seen == []
        say("latest")
        mock_clock.jump(0.2)
    assert seen == ["latest", "later"]
