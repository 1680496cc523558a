from __future__ import annotations

from typing import Any

from kapture.commands.console import Logs, select_entries
from kapture.page.console import ConsoleLog, LogEntry


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
    chosen, _, hidden = select_entries(log, Logs(), None, only_shop)
    assert [one.message for one in chosen] == ["mine"]
    guesses = [select_entries(log, Logs(text=text), None, only_shop)[2] for text in ("1234", "9999")]
    assert guesses == [hidden, hidden] == [3, 3], "the number tells whether a guess is right"


def test_the_browsers_remarks_name_only_the_origin_of_what_is_outside_the_grant() -> None:
    remark = entry(
        1,
        "Access to 'https://bank.test/in?code=1' (redirected from 'https://shop.test/go') was blocked",
        source="network",
        about="https://bank.test/in?code=1",
        location="in",
    )
    (shown,), _, _ = select_entries(Kept(remark), Logs(), None, only_shop)
    assert shown.message == "Access to 'https://bank.test/…' (redirected from 'https://shop.test/go') was blocked"
    assert shown.location == ""
    own = entry(2, "see https://bank.test/in?code=1", source="console", location="app.js:1")
    assert select_entries(Kept(own), Logs(), None, only_shop)[0] == [own], "a page's own words stay its own"
