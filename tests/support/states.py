"""Messages of the extension's worker to its views, a state each, for pictures of the views."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from kapture import __version__

_CODE = """const total = [...document.querySelectorAll('.price')]
  .reduce((sum, one) => sum + Number(one.dataset.cents), 0);
return total / 100;"""


def view(**changes: Any) -> dict[str, Any]:
    """A tab that nobody connected, with changes."""
    return {
        "exists": True,
        "url": "https://shop.example/cart/checkout?step=2",
        "title": "Corner Shop – Checkout",
        "site": "shop.example",
        "closed": None,
        "remembered": None,
        "connected": False,
        "failure": None,
        "others": [],
        "defaults": {"defaultSites": "site", "defaultLevel": "interact"},
        "tab": None,
    } | changes


def connected(state: str = "ready", *, page: Mapping[str, Any] | None = None, **tab: Any) -> dict[str, Any]:
    """A connected tab in this state."""
    now = time.time() * 1_000
    shown = {
        "tabId": "k3f7q2xa",
        "state": state,
        "reason": None,
        "retryAt": None,
        "grant": {"sites": ["shop.example"], "level": "interact"},
        "by": "person",
        "since": now - 754_000,
        "received": 1_284,
        "sent": 1_301,
        "address": "ws://127.0.0.1:61822/",
        "hubVersion": __version__,
        "activity": [
            activity("click", now - 4_000, 21.4, did='Clicked "Place order"'),
            activity("fill", now - 7_000, 35.2, did='Filled "Your name" with "Ann"'),
            activity("navigate", now - 61_000, 1_310.0, "NAVIGATION_FAILED"),
        ],
        "questions": [],
    } | tab
    return view(connected=True, tab=shown, **(page or {}))


def activity(command: str, at: float, ms: float, outcome: str = "ok", did: str = "") -> dict[str, Any]:
    """A command that has ended."""
    ended = {"command": command, "client": "Claude Code", "startedAt": at, "durationMs": ms, "outcome": outcome}
    return {**ended, "did": did}


def question(**changes: Any) -> dict[str, Any]:
    """A question about code."""
    now = time.time() * 1_000
    return {
        "id": "q1",
        "title": "Claude Code wants to have full access to this tab",
        "detail": "",
        "client": "Claude Code",
        "command": "evaluate",
        "url": "https://shop.example/cart",
        "level": "full",
        "site": None,
        "count": 1,
        "shown": [{"name": "Code", "text": _CODE}],
        "askedAt": now - 4_000,
        "expiresAt": now + 26_500,
    } | changes


def request(**changes: Any) -> dict[str, Any]:
    """A client that asks for a tab."""
    now = time.time() * 1_000
    return {
        "id": "r1",
        "reason": "I would like to compare the delivery dates of the three shops you named.",
        "client": "Claude Code",
        "url": "https://shop.example/delivery",
        "sites": ["shop.example"],
        "level": "read",
        "askedAt": now - 4_000,
        "expiresAt": now + 56_500,
        "giving": None,
    } | changes


def other(number: int, title: str, url: str, state: str = "ready", questions: int = 0) -> dict[str, Any]:
    """Another connected tab."""
    return {"chromeTabId": number, "tabId": title, "title": title, "url": url, "state": state, "questions": questions}


_OTHERS = [
    other(5, "Quarterly report – Sheets", "https://sheets.example/"),
    other(6, "Bank", "https://bank.example/", "outside"),
    other(7, "Flights to Lisbon", "https://fly.example/", questions=1),
]
_SHARES: list[dict[str, Any]] = [
    {"name": "devhost", "level": "interact", "sites": None, "only": None, "clients": ["claude-code @devhost"]},
    {"name": "box", "level": "read", "sites": ["shop.example"] * 9, "only": ["cursor"], "clients": []},
]
_NO_HUB = {
    "message": "No hub answers at 127.0.0.1:61822.",
    "hint": "Start one with `kapture serve`. Kapture keeps trying to reconnect.",
}
_OTHER_PORT = {
    "message": "The hub is on port 61822, and Kapture's options say 7000.",
    "hint": "Clear the port in the options, or start the hub with `kapture serve --port 7000`.",
}
_UNPAIRED = {
    "message": "This browser is not paired with a hub yet.",
    "hint": "Run `kapture setup` once, or choose the pairing file in Kapture's options.",
}
_PAUSED = {
    "message": "The browser does not allow extensions on chrome:// pages.",
    "hint": "Open a web page in this tab: Kapture resumes by itself.",
}
_CLOSED = {
    "message": "The browser does not allow extensions on chrome:// pages.",
    "hint": "Open a website in this tab, then press Connect.",
}
_LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenbeschaffung" * 2
_LONG_SITE = "a-name-that-goes-on-and-on-and-on-and-on-and-on.shop.example"
_CHROME = {"url": "chrome://settings/", "title": "Settings", "site": None}

POPUP: Mapping[str, dict[str, Any]] = {
    "not_connected": view(),
    "closed_page": view(**_CHROME, closed=_CLOSED),
    "failed": view(failure=_OTHER_PORT),
    "never_paired": connected(
        "waiting", reason=_UNPAIRED, received=0, since=None, retryAt=time.time() * 1_000 + 8_000, activity=[]
    ),
    "connecting": connected("connecting", since=None, activity=[]),
    "connected": connected(),
    "connected_with_others": connected(page={"others": _OTHERS}),
    "shared": connected(page={"others": _OTHERS, "shares": [share | {"since": 1.7e12} for share in _SHARES]}),
    "shared_not_connected": view(shares=[share | {"since": time.time() * 1_000} for share in _SHARES]),
    "group": connected(page={"others": _OTHERS, "group": "team"}),
    "group_included": connected(group="a-group-with-a-long-name", page={"group": "a-group-with-a-long-name"}),
    "group_not_connected": view(group="team", lasting={"allowed": True, "clients": ["Claude Code", "cursor"]}),
    "outside": connected("outside", page={"url": "https://bank.example/", "title": "Bank", "site": "bank.example"}),
    "paused": connected("paused", reason=_PAUSED, page=_CHROME | {"closed": _CLOSED}),
    "reconnecting": connected("waiting", reason=_NO_HUB, since=None, retryAt=time.time() * 1_000 + 9_000),
    "crashed": connected(reason={"message": "The page has crashed.", "hint": "Reload the tab."}),
    "question": connected(questions=[question()]),
    "long_words": connected(
        page={"title": _LONG_WORD, "url": f"https://{_LONG_SITE}/{_LONG_WORD}", "others": [other(5, _LONG_WORD, "")]},
        grant={"sites": [_LONG_SITE], "level": "interact"},
    ),
    "many_sites": connected(
        page={"others": _OTHERS}, grant={"sites": [f"shop-{number}.example" for number in range(60)], "level": "full"}
    ),
    "many_long_sites": connected(
        page={"others": _OTHERS}, grant={"sites": [f"{number}.{_LONG_SITE}" for number in range(60)], "level": "full"}
    ),
    "many_sites_and_tabs_reconnecting": connected(
        "waiting",
        reason=_NO_HUB,
        since=None,
        retryAt=time.time() * 1_000 + 9_000,
        page={"others": [other(number, _LONG_WORD, "") for number in range(30)]},
        grant={"sites": [f"{number}.{_LONG_SITE}" for number in range(60)], "level": "full"},
    ),
    "many_sites_not_connected": view(
        remembered={"sites": [f"shop-{number}.example" for number in range(60)], "level": "full"}
    ),
    "long_words_not_connected": view(title=_LONG_WORD, url=f"https://{_LONG_SITE}/", site=_LONG_SITE),
}

QUESTIONS: Mapping[str, dict[str, Any]] = {
    "code": connected(questions=[question()]),
    "address": connected(
        questions=[
            question(
                title="Claude Code wants to work on bank.example",
                command="navigate",
                level=None,
                site="bank.example",
                shown=[
                    {
                        "name": "Address",
                        "text": "https://bank.example/transfer?to=DE02120300000000202051&sum=1200.00",
                    }
                ],
            )
        ]
    ),
    "reading": connected(
        questions=[
            question(
                title="Claude Code wants to work on bank.example",
                command="snapshot",
                level=None,
                site="bank.example",
                shown=[],
                readSuffices=True,
            )
        ]
    ),
    "files_and_more": connected(
        questions=[
            question(
                shown=[{"name": "Files", "text": "/home/me/report.pdf\n/home/me/photo.jpg"}], command="upload", count=3
            ),
            question(
                id="q2",
                command="cdp",
                shown=[
                    {"name": "CDP method", "text": "Network.setCookie"},
                    {"name": "Parameters", "text": '{\n  "name": "session",\n  "value": "…"\n}'},
                ],
            ),
        ]
    ),
}
