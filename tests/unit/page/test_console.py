from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.cdp import CdpConnection, PendingReply
from kapture.page.console import CAPACITY, ConsoleLog, format_arguments
from kapture.page.documents.read_gate import EVERY_SITE
from tests.support.cdp_transports import EmptyTransport, SilentTransport


async def observed() -> tuple[ConsoleLog, CdpConnection]:
    connection = CdpConnection(EmptyTransport())
    owners = {"": ("https://example.com/",), "F": ("https://ads.test/",), None: ("unknown:",)}
    log = ConsoleLog(lambda session, frame: owners[frame], lambda request: (f"https://of-request-{request}.test/",))
    await log.observe(connection.root)
    return log, connection


def say(connection: CdpConnection, text: str, kind: str = "log", context: int = 1) -> None:
    connection.deliver(
        "Runtime.consoleAPICalled",
        {
            "type": kind,
            "timestamp": 1_700_000_000_000.0,
            "executionContextId": context,
            "args": [{"type": "string", "value": text}],
            "stackTrace": {
                "callFrames": [{"url": "https://example.com/app.js?v=1", "lineNumber": 9, "columnNumber": 2}]
            },
        },
        None,
    )


async def test_the_ring_keeps_the_newest_and_says_what_it_dropped() -> None:
    log, connection = await observed()
    for number in range(CAPACITY + 7):
        say(connection, f"n{number}")
    kept = list(log.newest_first())
    assert len(kept) == CAPACITY
    assert kept[0].message == f"n{CAPACITY + 6}"
    assert log.cursor == CAPACITY + 7
    assert log.dropped_before == 7


async def test_line_of_a_service_worker_is_shown_once_however_often_it_is_replayed() -> None:
    connection = CdpConnection(EmptyTransport())
    place = "service worker of https://example.com"
    log = ConsoleLog(lambda session, frame: ("https://example.com/sw.js",), lambda request: (), lambda *_: place)
    await log.observe(connection.root)
    say(connection, "installed")
    say(connection, "installed")
    assert [(entry.message, entry.place) for entry in log.newest_first()] == [("installed", place)]


async def test_an_entry_of_a_page_that_was_left_is_told_from_those_of_the_present_one() -> None:
    log, connection = await observed()
    say(connection, "old")
    connection.deliver("Page.frameNavigated", {"frame": {"id": "M"}}, None)
    say(connection, "new")
    connection.deliver("Page.frameNavigated", {"frame": {"id": "F", "parentId": "M"}}, None)
    assert [(entry.message, entry.page < log.page) for entry in log.newest_first()] == [("new", False), ("old", True)]


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        ("%d", {"type": "number", "value": 3.9}, "3"),
        ("%i", {"type": "number", "value": -3.9}, "-3"),
        ("%d", {"type": "string", "value": "7"}, "NaN"),
        ("%d", {"type": "boolean", "value": True}, "NaN"),
        ("%d", {"type": "bigint", "unserializableValue": "10n"}, "10n"),
        ("%d", {"type": "number", "unserializableValue": "Infinity"}, "Infinity"),
        ("%f", {"type": "number", "value": 1.5}, "1.5"),
        ("%f", {"type": "object", "subtype": "null", "value": None}, "NaN"),
        ("%s", {"type": "string", "value": "text"}, "text"),
        ("%o", {"type": "string", "value": 'a "b"'}, '"a \\"b\\""'),
        ("%O", {"type": "number", "value": 1}, "1"),
        ("%c", {"type": "string", "value": "color: red"}, ""),
    ],
)
def test_placeholders_are_filled_as_devtools_fills_them(form: str, value: dict[str, Any], text: str) -> None:
    assert format_arguments([{"type": "string", "value": f"<{form}>"}, value]) == f"<{text}>"


async def test_an_entry_knows_the_document_it_came_from() -> None:
    log, connection = await observed()
    connection.deliver(
        "Runtime.executionContextCreated",
        {"context": {"id": 5, "origin": "https://ads.test", "auxData": {"frameId": "F"}}},
        None,
    )
    say(connection, "from the frame", context=5)
    say(connection, "from who knows where", context=99)
    remark = {"source": "network", "level": "error", "text": "Failed", "timestamp": 1, "url": "https://cdn.test/x"}
    connection.deliver("Log.entryAdded", {"entry": {**remark, "networkRequestId": "7"}}, None)
    connection.deliver("Log.entryAdded", {"entry": {**remark, "source": "security"}}, None)
    of_page, of_request, unknown, frame = log.newest_first()
    assert frame.owners == ("https://ads.test/",)
    assert frame.location == "app.js:10"
    assert unknown.owners == ("unknown:",)
    assert of_request.owners == ("https://of-request-7.test/",)
    assert of_page.owners == ("https://example.com/",), "any document of the session may have caused it"


async def test_repeated_browser_entry_may_belong_to_any_document() -> None:
    """Of one that has left the process, too."""
    answers: list[PendingReply] = []

    class Answering(SilentTransport):
        def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
            answers.append(reply := PendingReply())
            return reply

    connection = CdpConnection(Answering())
    log = ConsoleLog(lambda session, frame: ("https://example.com/",), lambda request: ())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(log.observe, connection.root)
        await wait_all_tasks_blocked()
        for text in ("repeated", "new"):
            entry = {"source": "security", "level": "error", "text": text, "timestamp": 1}
            connection.deliver("Log.entryAdded", {"entry": entry}, None)
            for reply in answers:
                reply.resolve({})
    assert [(entry.message, entry.owners) for entry in log.newest_first()] == [
        ("new", ("https://example.com/",)),
        ("repeated", (EVERY_SITE,)),
    ]


async def test_an_uncaught_error_keeps_its_stack() -> None:
    log, connection = await observed()
    connection.deliver(
        "Runtime.exceptionThrown",
        {
            "timestamp": 1.0,
            "exceptionDetails": {
                "text": "Uncaught",
                "url": "https://example.com/app.js",
                "lineNumber": 3,
                "columnNumber": 0,
                "exception": {"description": "TypeError: no\n    at f (https://example.com/app.js:4:1)"},
            },
        },
        None,
    )
    (entry,) = log.newest_first()
    assert (entry.level, entry.source, entry.message) == ("error", "exception", "Uncaught TypeError: no")
    assert "at f (https://example.com/app.js:4:1)" in entry.stack


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], ""),
        (
            [
                {"type": "string", "value": "a %s b %d%%"},
                {"type": "string", "value": "X"},
                {"type": "number", "value": 2.9},
            ],
            "a X b 2%",
        ),
        ([{"type": "string", "value": "%c styled"}, {"type": "string", "value": "color: red"}], " styled"),
        ([{"type": "string", "value": "%s and %s"}, {"type": "number", "value": 1}], "1 and %s"),
        ([{"type": "string", "value": "100%s"}], "100%s"),
        (
            [{"type": "number", "value": 1}, {"type": "boolean", "value": True}, {"type": "undefined"}],
            "1 true undefined",
        ),
        ([{"type": "object", "subtype": "null", "value": None}], "null"),
        ([{"type": "number", "unserializableValue": "NaN"}], "NaN"),
    ],
)
def test_console_arguments_read_as_devtools_shows_them(arguments: list[dict[str, Any]], text: str) -> None:
    assert format_arguments(arguments) == text


@pytest.mark.parametrize(
    ("origin", "owners"),
    [
        ("https://example.com", ("https://example.com/",)),
        ("https://bank.test", ("https://example.com/", "https://bank.test/")),
        ("://", ("https://example.com/",)),
    ],
)
async def test_an_entry_belongs_to_the_origin_of_its_context_too(origin: str, owners: tuple[str, ...]) -> None:
    log, connection = await observed()
    context = {"id": 1, "origin": origin, "auxData": {"frameId": "", "isDefault": True}}
    connection.deliver("Runtime.executionContextCreated", {"context": context}, None)
    say(connection, "whose?")
    assert [entry.owners for entry in log.newest_first()] == [owners]
