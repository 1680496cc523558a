"""Navigating: to a URL, through the history, and reloading."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from itertools import takewhile
from typing import Annotated, Any

import attrs
import trio
from msgspec import Meta

from kapture.cdp import CdpError, PendingReply, Refusal
from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import before_timeout
from kapture.commands.core.destination import destination
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, Lane, command
from kapture.commands.network import shortened, shown_request
from kapture.errors import Detached, ErrorCode, KaptureError, PolicyDenied, Wording
from kapture.page import Page
from kapture.page.documents.read_gate import origin_of
from kapture.page.downloads import shown_download
from kapture.page.navigation import Navigation, following
from kapture.page.navigation_watcher import WaitUntil, navigation_failed
from kapture.page.settling.outcome import without_answer
from kapture.page.settling.settle import script_answers
from kapture.page.settling.table import NAVIGATION_S
from kapture.split_url import split_url


@attrs.frozen(kw_only=True)
class Navigated(Answer):
    """Where the tab is now. `status` is None for a document that was not loaded by HTTP.

    `title` is None if the page may not be read; then `url` is only its site, and `download`, which it may have started
    itself, has no name.
    """

    url: str
    title: str | None
    status: int | None = None
    outcome: str = "navigated"  # "navigated", "same_document", "restored", "download", "no_content", "stayed"
    redirects: int = 0
    download: str | None = None
    note: str | None = None

    def summary(self) -> str:
        """Where the tab is now."""
        return f"opened {self.text().partition(chr(10))[0].removeprefix('at ')}"

    def text(self) -> str:
        """One line on what happened and where the tab is, and one on what was assumed."""
        at = self.url if self.title is None else f"{self.url} {self.title!r}"
        download = "download started" if self.download is None else f"download started: {self.download}"
        status = "" if self.status is None else f"HTTP {self.status}"
        lines = [
            {
                "navigated": f"at {at}",
                "same_document": f"at {at} (the same document)",
                "restored": f"at {at} (restored from the back/forward cache)",
                "download": f"{download}; the tab is still at {at}",
                "no_content": f"the server sent no page{status and f' ({status})'}; the tab is still at {at}",
                "stayed": f"the tab is still at {at}",
            }[self.outcome]
        ]
        if status and self.outcome != "no_content":
            lines[0] += f", {status}"
        if self.redirects:
            lines[0] += f", {self.redirects} redirect{'s' if self.redirects > 1 else ''}"
        if self.outcome == "navigated" and self.download is not None:
            lines.append(download)
        if self.note:
            lines.append(self.note)
        return "\n".join(lines)


@attrs.frozen(kw_only=True)
class Stopped(Answer):
    """Loading was stopped."""

    stopped: bool = True

    def text(self) -> str:
        """One line."""
        return "loading stopped"


_CLOSES_S = 2.0
"""How long a script that writes a frame may take to close it."""

_ERROR_PAGE_S = 1.0
"""How long the browser may take to show its error page, once it has said that a page could not be opened."""

_AGAIN = 5
"""How often a page is stopped that goes on by itself while it is left."""

_HELD_OPEN = "A script is still writing a frame of the page, so that it does not reach 'load'; nothing else is loading."

_MOST_NAMED = 5

_ENDLESS = "The page goes on by itself, again and again: what is read of it may be out of date at once."

Until = Annotated[WaitUntil, Meta(description="Until when to wait.")]


@attrs.frozen(kw_only=True)
class Navigate:
    """Open a URL and wait until it has loaded."""

    url: Annotated[str, Meta(min_length=1, max_length=1_000_000, description="URL to open.")]
    wait_until: Until = "load"


@command("navigate", access=Access.INTERACT, acts=True, timeout_ms=SLOW_TIMEOUT_MS)
async def navigate(tab: TabContext, params: Navigate) -> Navigated:
    """Open a URL."""
    to = destination(params.url, base=tab.page.url, may_open=tab.page.gate)

    async def start(navigation: Navigation) -> Navigated | None:
        root = tab.page.connection.root
        if navigation.seen.is_underway or navigation.seen.documents:  # it would go on instead
            root.submit("Page.stopLoading")
        try:
            result = await navigation.answered(root.submit("Page.navigate", {"url": to.url}))
            for _ in range(_AGAIN):
                if not _is_superseded(result, navigation):
                    break
                root.submit("Page.stopLoading")
                result = await navigation.answered(root.submit("Page.navigate", {"url": to.url}))
        except CdpError as error:
            if error.means(Refusal.INVALID_URL):
                raise KaptureError(
                    ErrorCode.INVALID_PARAMS,
                    f"{to.url[:200]!r} is not a valid URL.",
                    data={"parameter": "url"},
                    quotes_page=True,  # a relative address is the page's
                ) from error
            raise
        if result is None:
            return None
        tab.page.frames.opened(result)
        seen = navigation.seen
        if result.get("isDownload") or seen.download is not None:
            await seen.until(lambda: seen.download is not None)
            return await _page_now(tab, navigation, "download")
        if error_text := result.get("errorText"):
            answered = seen.status(result.get("loaderId"))
            if error_text == "net::ERR_ABORTED" and answered is not None and split_url(to.url).scheme != "data":
                return await _page_now(tab, navigation, "no_content", status=answered)
            with trio.move_on_after(_ERROR_PAGE_S):  # what comes next must not be given to the page that is left
                await seen.until(lambda: seen.unreachable is not None or navigation.blocked)
            raise navigation_failed(to.url, error_text, answered)
        if "loaderId" not in result:
            return await _page_now(tab, navigation, "same_document")
        return None

    navigated = await _run_navigation(tab, to.url, params.wait_until, start)
    return attrs.evolve(navigated, note=to.note) if to.note else navigated


def _is_superseded(result: Mapping[str, Any] | None, navigation: Navigation) -> bool:
    """Whether the page has gone on by itself instead, as one that refreshes itself again and again."""
    if result is None or result.get("errorText") != "net::ERR_ABORTED" or result.get("isDownload"):
        return False
    seen, loader_id = navigation.seen, result.get("loaderId")
    another = seen.underway is not None and seen.underway.loader_id != loader_id
    return seen.status(loader_id) is None and (another or seen.scheduled or bool(seen.documents))


@attrs.frozen(kw_only=True)
class GoBack:
    """Go back in history."""

    wait_until: Until = "load"


@command("go_back", access=Access.INTERACT, acts=True, timeout_ms=SLOW_TIMEOUT_MS)
async def go_back(tab: TabContext, params: GoBack) -> Navigated:
    """Go back one entry."""
    return await _through_history(tab, -1, params.wait_until)


@attrs.frozen(kw_only=True)
class GoForward:
    """Go forward in history."""

    wait_until: Until = "load"


@command("go_forward", access=Access.INTERACT, acts=True, timeout_ms=SLOW_TIMEOUT_MS)
async def go_forward(tab: TabContext, params: GoForward) -> Navigated:
    """Go forward one entry."""
    return await _through_history(tab, +1, params.wait_until)


@attrs.frozen(kw_only=True)
class Reload:
    """Load the page again."""

    bypass_cache: Annotated[bool, Meta(description="Ignore cached files.")] = False
    wait_until: Until = "load"


@command("reload", access=Access.INTERACT, acts=True, timeout_ms=SLOW_TIMEOUT_MS)
async def reload(tab: TabContext, params: Reload) -> Navigated:
    """Load the page again."""

    async def start(navigation: Navigation) -> None:
        await navigation.answered(tab.page.connection.root.submit("Page.reload", {"ignoreCache": params.bypass_cache}))

    return await _run_navigation(tab, tab.page.url, params.wait_until, start)


@attrs.frozen(kw_only=True)
class Stop:
    """Stop loading the page."""


@command("stop", access=Access.INTERACT, lane=Lane.CONTROL, toolset="more", idempotent=True, reads_page=False)
async def stop(tab: TabContext, params: Stop) -> Stopped:
    """Stop loading at once, whatever command is waiting for it."""
    await tab.page.connection.root.send("Page.stopLoading")
    return Stopped()


async def _through_history(tab: TabContext, step: int, until: WaitUntil) -> Navigated:
    session = tab.page.connection.root
    history = await session.send("Page.getNavigationHistory")
    at = history["currentIndex"] + step
    if not 0 <= at < len(history["entries"]):
        raise KaptureError(
            ErrorCode.NAVIGATION_FAILED,
            f"There is no page to go {'back' if step < 0 else 'forward'} to: this is the "
            f"{'first' if step < 0 else 'last'} entry of the tab's history.",
            hint="Use navigate.",
            data={"reason": "history"},
        )
    entry = history["entries"][at]
    if entry["url"] != "about:blank" and not tab.page.gate(entry["url"]):
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"That page of the history is {'at ' + origin_of(entry['url']) if entry['url'] else 'on a site'}"
            " outside this tab's grant.",
            hint="Ask the person to add that site to the tab's grant in the Kapture panel.",
        )

    async def start(navigation: Navigation) -> Navigated | None:
        reply: PendingReply = session.submit("Page.navigateToHistoryEntry", {"entryId": entry["id"]})
        if await navigation.answered(reply) is None:
            return None
        seen = navigation.seen
        await seen.until(lambda: bool(seen.documents) or seen.same_document or navigation.blocked)
        if seen.same_document:
            return await _page_now(tab, navigation, "same_document")
        return None

    return await _run_navigation(tab, entry["url"], until, start)


async def _run_navigation(
    tab: TabContext, url: str, until: WaitUntil, start: Callable[[Navigation], Awaitable[Navigated | None]]
) -> Navigated:
    """Start a navigation, and follow it to the milestone. `start` returns an answer if it ended without a new
    document."""
    if blocked := tab.page.dialogs.blocked(tab.command.name):
        raise blocked
    began_at, usable_at = tab.page.network.cursor, trio.current_time() + NAVIGATION_S
    async with following(tab.page) as navigation:
        seen = navigation.seen
        try:
            with before_timeout():
                await navigation.free_page()
                if (ended := await start(navigation)) is not None:
                    return ended
                while True:
                    with trio.move_on_at(usable_at):
                        await seen.until(
                            lambda: navigation.has_ended(until) or (until == "load" and navigation.held_open)
                        )
                    await seen.until(lambda: navigation.has_ended(until) or _is_usable(navigation, until))
                    loading = not navigation.has_ended(until) and not (until == "load" and navigation.held_open)
                    held_open = not navigation.has_ended(until) and not loading
                    if held_open:
                        with trio.move_on_after(_CLOSES_S):
                            await seen.until(lambda: navigation.has_ended(until) or not navigation.held_open)
                            continue
                    navigation.check()
                    if seen.unreachable is not None:
                        answered = seen.status(seen.loader_id)
                        raise navigation_failed(seen.unreachable, await seen.failure_reason(), answered)
                    if not seen.documents:
                        return await _page_now(tab, navigation, "download" if seen.download else "stayed")
                    endless, document = seen.is_endless, seen.loader_id
                    waits = until == "load" and tab.shows_page and not endless
                    unanswered = await script_answers(tab.page.network, began_at) if waits else 0
                    navigated = await _page_now(tab, navigation, "restored" if seen.restored else "navigated")
                    # By now the page has had a chance to start another navigation.
                    if endless:
                        return attrs.evolve(navigated, note=navigated.note or _ENDLESS)
                    if document == seen.loader_id and seen.reached(until):
                        return attrs.evolve(navigated, note=navigated.note or without_answer(unanswered))
                    if document == seen.loader_id and loading and not seen.is_underway:
                        return attrs.evolve(navigated, note=navigated.note or _still_loading(tab.page, began_at))
                    if document == seen.loader_id and held_open and navigation.held_open:
                        return attrs.evolve(navigated, note=navigated.note or _HELD_OPEN)
        except trio.Cancelled:
            navigation.give_up()
            raise
        error = _too_slow(tab, url, navigation, until)
        navigation.give_up()
        raise error


def _is_usable(navigation: Navigation, until: WaitUntil) -> bool:
    return navigation.seen.reached("domcontentloaded") or (until == "load" and navigation.held_open)


def _still_loading(page: Page, before: int) -> str:
    """Say that a page can be used that has not loaded within `NAVIGATION_S`, and which requests it waits for."""
    asked = takewhile(lambda request: request.seq > before, page.network.newest_first())
    shown = (shown_request(request, page) for request in asked if not request.finished)
    waiting = [shortened(request.url) for request in shown if request is not None]
    more = f" and {len(waiting) - _MOST_NAMED} more" if len(waiting) > _MOST_NAMED else ""
    named = f" It waits for {', '.join(waiting[:_MOST_NAMED])}{more}." if waiting else ""
    return f"The page can be used, but is still loading after {NAVIGATION_S:g} s.{named}"


async def arrived(tab: TabContext, params: object) -> Navigated:
    """Where a navigation has led whose end could not be followed."""
    async with following(tab.page) as navigation:
        return await _page_now(tab, navigation, "navigated")


async def _page_now(tab: TabContext, navigation: Navigation, outcome: str, *, status: int | None = None) -> Navigated:
    """Where the tab is now, as far as the page may be read."""
    seen = navigation.seen
    url: str = tab.page.url
    title: str | None = None
    note: str | None = None
    main = tab.page.frames.main
    if main.granted:
        with suppress(Detached, PolicyDenied):
            state = await main.call("state")
            url, title = state["url"], state["title"]
    if not main.granted:
        url, title = main.origin, None
        note = "This site is outside the tab's grant: the page cannot be read."
    if status is None and outcome in ("navigated", "restored") and main.url.startswith("http"):
        status = seen.status(seen.loader_id)
    return Navigated(
        url=url,
        title=title,
        status=status,
        outcome=outcome,
        redirects=len(seen.redirects),
        download=shown_download(tab.page.downloads.get(seen.download or ""), tab.page.gate),
        note=note,
    )


def _too_slow(tab: TabContext, url: str, navigation: Navigation, until: WaitUntil) -> KaptureError:
    main = tab.page.frames.main
    at = tab.page.url if main.granted else main.origin
    seen = navigation.seen
    if not seen.documents:
        message = f"Timed out: {url[:500]} did not answer; the tab is still at {at}."
        hint = Wording("Loading has been stopped.", "Try again with a longer {timeout}.")
    else:
        message = f"Timed out: {at} has opened, but did not reach {until!r}."
        hint = Wording("The page may be usable as it is: {look}.", "{wait_until} 'domcontentloaded' asks for less.")
    return KaptureError(
        ErrorCode.COMMAND_TIMEOUT,
        message,
        hint=hint,
        data={"url": at, "committed": bool(seen.documents), "status": seen.status(seen.loader_id)},
    )
