"""Waiting for something to happen on the page."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Annotated, Any, Literal, TypeAlias

import attrs
import trio
from msgspec import Meta

from kapture.commands.core.answer import Answer, Said
from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import before_timeout, remaining_ms
from kapture.commands.core.params import Targeted
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, Lane, command
from kapture.commands.network import (
    Glob,
    ResponseAnswer,
    Status,
    matches,
    request_line,
    shown_request,
)
from kapture.commands.person import PersonAnswered
from kapture.commands.scripts.script import Script, answer_of, runner_source
from kapture.errors import ElementNotFound, ErrorCode, KaptureError, RefExpired, Wording
from kapture.glob import glob_matches
from kapture.page import Page
from kapture.page.documents.frame import ContextGone, Frame
from kapture.page.documents.read_gate import FrameNotGranted, ReadGate, shown_address
from kapture.page.downloads import Download, shown_download
from kapture.page.element import Element
from kapture.page.locator import resolve, target_words
from kapture.page.script_terminator import ScriptTerminator
from kapture.page.target import TargetSpec, as_spec


@attrs.frozen(kw_only=True)
class FunctionReturned(Answer):
    """The truthy value."""

    value: Any
    waited_ms: int

    def text(self) -> str:
        """One line."""
        shown = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)
        return f"{shown} (after {self.waited_ms} ms)"


@attrs.frozen(kw_only=True)
class Waited(Answer):
    """The state found. `element` is the first match, if an element was waited for and exists."""

    seen: list[str]
    waited_ms: int
    element: dict[str, Any] | None = None
    download: dict[str, Any] | None = None
    person: PersonAnswered | None = None

    def said(self) -> tuple[Said, ...]:
        """What the person has answered, if that was waited for."""
        return self.person.said() if self.person is not None else ()

    def text(self) -> str:
        """Describe the state found, and how long it took."""
        return f"{'; '.join(self.seen)} (after {self.waited_ms} ms)"


State: TypeAlias = Literal["visible", "attached", "hidden", "gone"]

IDLE_S = 0.5
"""Seconds for which the network must be quiet to count as idle."""

_WATCH_MS = 20_000
# Connections that stay open do not tell whether a page has settled.
_LASTING = frozenset({"websocket", "eventsource", "ping", "webtransport"})

Finding: TypeAlias = tuple[bool, str]
"""Whether one part of the condition is met, and in words what was observed."""


@attrs.define(eq=False, kw_only=True)
class WaitCondition:
    """A condition to wait for, and what was last observed of it.

    `reported_downloads`: guids of downloads that had ended when an earlier wait was met: it has answered with the
    newest. `element` and `download` are the first match and the download that met the condition.
    """

    page: Page
    spec: TargetSpec | None
    state: State
    text: str | None
    text_gone: str | None
    url: str | None
    network_idle: bool
    awaits_download: bool
    reported_downloads: set[str]
    last: list[Finding] = attrs.field(factory=list)
    element: Element | None = None
    download: Download | None = None
    _ended_downloads: set[str] = attrs.field(factory=set)
    _looks: dict[Frame, tuple[dict[str, Any], dict[str, Any]]] = attrs.field(factory=dict)
    _seen: dict[Frame, tuple[dict[str, Any], dict[str, Any]]] = attrs.field(factory=dict)

    async def until_met(self) -> list[Finding]:
        """Check on each change until all parts are met at once; returns the findings."""
        findings = await self._until_met()
        self.reported_downloads |= self._ended_downloads
        return findings

    async def _until_met(self) -> list[Finding]:
        while True:
            # Taken before checking, so that a change during the check is noticed.
            wakers = self._wakers()
            self.last = await self._look()
            if all(holds for holds, _ in self.last):
                if not self.network_idle:
                    return self.last
                await self._quiet()
                self.last = [*await self._look(), (True, "the network is idle")]
                if all(holds for holds, _ in self.last):
                    return self.last
                continue
            await _first(wakers + [self._watch(frame, *asked) for frame, asked in self._looks.items()])

    def unmet(self) -> list[str]:
        """Return the conditions not met when the page was last checked."""
        if unmet := [seen for holds, seen in self.last if not holds]:
            return unmet
        if self.last or not self.asks_page():
            return [f"the network was never idle{self._pending_requests()}"]
        return ["the page was too busy to be looked at"]

    def asks_page(self) -> bool:
        """Whether the condition concerns anything but the network."""
        return self._asks_documents() or self.url is not None or self.awaits_download

    def _asks_documents(self) -> bool:
        return self.spec is not None or bool(self._texts())

    def _texts(self) -> list[str]:
        return [text for text in (self.text, self.text_gone) if text is not None]

    def _wakers(self) -> list[Callable[[], Awaitable[object]]]:
        wakers: list[Callable[[], Awaitable[object]]] = [self.page.frames.changed.upcoming.wait]
        if self.awaits_download:
            wakers.append(self.page.downloads.changed.upcoming.wait)
        return wakers

    async def _look(self) -> list[Finding]:
        found: list[Finding] = []
        if self.url is not None:
            address = address_of(self.page)
            found.append((glob_matches(address, self.url), f"the URL is {address}"))
        if self._asks_documents():
            found += await self._look_at_documents()
        if self.awaits_download:
            found.append(self._look_at_downloads())
        return found

    async def _look_at_documents(self) -> list[Finding]:
        self._looks = {}
        self.element = None
        complete = True
        # A watched frame that changed has reported its current state.
        changed, self._seen = self._seen, {}
        for frame, question in self._questions().items():
            try:
                asked, look = changed.get(frame, (None, {}))
                if asked != question:
                    look = await frame.call("see", question)
            except (ContextGone, FrameNotGranted):
                complete = False  # the event that removed it, or took it out of the grant, causes another check
                continue
            self._looks[frame] = (question, look)
            if self.element is None and look.get("first"):
                self.element = Element.of(frame, look["first"])
        found: list[Finding] = []
        if self.spec is not None:
            found.append(self._element_finding(self.spec, complete))
        for at, text in enumerate(self._texts()):
            shown = any(look["texts"][at] for _, look in self._looks.values())
            wanted = self.text is not None and at == 0
            holds = shown if wanted else complete and not shown
            found.append((holds, f"the text {text!r} is {'shown' if shown else 'not shown'}"))
        return found

    def _element_finding(self, spec: TargetSpec, complete: bool) -> Finding:
        """`complete`: every document was looked at. One that is being replaced does not show that something is gone."""
        attached = sum(look["attached"] for _, look in self._looks.values())
        visible = sum(look["visible"] for _, look in self._looks.values())
        holds = {
            "visible": visible > 0,
            "attached": attached > 0,
            "hidden": complete and visible == 0,
            "gone": complete and attached == 0,
        }
        what = target_words(spec)
        if not attached:
            return holds[self.state], f"no element matches {what}"
        first = self.element.describe() if self.element else what
        more = f" and {attached - 1} more match {what}" if attached > 1 else f" matches {what}"
        shown = "visible" if visible == attached else "hidden" if visible == 0 else f"{visible} of them visible"
        return holds[self.state], f"{first}{more}, {shown}"

    def _look_at_downloads(self) -> Finding:
        latest = ""
        for download in self.page.downloads:
            name = shown_download(download, self.page.gate)
            if name is None or download.guid in self.reported_downloads:
                continue
            if download.state == "inProgress":
                latest = f"{name}: {download.received_bytes:.0f} bytes so far"
                continue
            self._ended_downloads.add(download.guid)
            self.download = download
        if self.download is not None:
            name = shown_download(self.download, self.page.gate)
            how = "is complete" if self.download.state == "completed" else "was cancelled"
            return True, f"the download {name} {how}"
        return False, f"a download is in progress ({latest})" if latest else "no download has started"

    def _questions(self) -> dict[Frame, dict[str, Any]]:
        """Return the questions for each frame: texts are searched in all frames, the target may name one."""
        tree = self.page.frames
        tree.main.check_granted()
        questions: dict[Frame, dict[str, Any]] = {}
        texts = self._texts()
        if texts:
            questions = {frame: {"texts": texts} for frame in tree.all() if frame.granted and not frame.why_silent}
        if self.spec is not None:
            # The frame may not exist yet, or not any more.
            with suppress(RefExpired, ElementNotFound):
                locator = resolve(tree, self.spec)
                for frame in locator.frames:
                    questions.setdefault(frame, {"texts": texts})["target"] = locator.query
        return questions

    def _watch(self, frame: Frame, question: dict[str, Any], look: dict[str, Any]) -> Callable[[], Awaitable[object]]:
        was = {key: look[key] for key in ("attached", "visible", "texts")}

        async def watch() -> None:
            try:
                look = await frame.call("seeChange", {**question, "was": was, "ms": _WATCH_MS})
                self._seen[frame] = question, look
            except (ContextGone, FrameNotGranted):
                return

        return watch

    async def _quiet(self) -> None:
        """Return when no request has been pending for a while."""
        network = self.page.network
        while True:
            busy = any(not one.finished and one.type not in _LASTING for one in network.oldest_first())
            with trio.move_on_after(float("inf") if busy else IDLE_S):
                await network.changed.wait()
                continue
            return

    def _pending_requests(self) -> str:
        urls = [
            shown.url
            for request in self.page.network.oldest_first()
            if not request.finished and (shown := shown_request(request, self.page)) is not None
        ]
        return f" (pending: {', '.join(url[:200] for url in urls[:3])})" if urls else ""


def address_of(page: Page) -> str:
    """The address of the page; outside the grant only its origin."""
    main = page.frames.main
    return main.url if main.granted else f"{main.origin}/"


async def _first(waits: list[Callable[[], Awaitable[object]]]) -> None:
    """Return when the first of them does; the others are cancelled. Errors are raised as they are."""
    failure: KaptureError | None = None

    async with trio.open_nursery() as nursery:

        async def run(wait: Callable[[], Awaitable[object]]) -> None:
            nonlocal failure
            try:
                await wait()
            except KaptureError as error:
                failure = error
            nursery.cancel_scope.cancel()

        for wait in waits:
            nursery.start_soon(run, wait)
    if failure is not None:
        raise failure


@attrs.frozen(kw_only=True)
class WaitFor(Targeted):
    """Wait until all that is given holds."""

    state: Annotated[State, Meta(description="hidden: none is visible; gone: none exists.")] = "visible"
    text: Annotated[str, Meta(min_length=1, description="Visible text.")] | None = None
    text_gone: Annotated[str, Meta(min_length=1, description="Text no longer visible.")] | None = None
    url: Annotated[str | None, Meta(description="Glob for the URL: */done*.")] = None
    network_idle: Annotated[bool, Meta(description="No request for half a second.")] = False
    download: Annotated[bool, Meta(description="A download has ended.")] = False
    person: Annotated[bool, Meta(description="The person has answered ask_person.")] = False


@command("wait_for", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS, shows_page=True, idempotent=True)
async def wait_for(tab: TabContext, params: WaitFor) -> Waited:
    """Wait, and answer with what was found; `COMMAND_TIMEOUT` says what was found instead."""
    person = PersonAnswered.of(tab.person) if tab.person is not None else None
    condition = _condition(tab, params)
    if person is not None and not (condition.asks_page() or params.network_idle):
        return Waited(seen=["the person has answered"], waited_ms=0, person=person)
    began = trio.current_time()
    with before_timeout():
        met = await condition.until_met()
        return Waited(
            seen=[seen for _, seen in met],
            waited_ms=round((trio.current_time() - began) * 1000),
            element=condition.element.as_json() if condition.element else None,
            download=_download_facts(condition.download, tab.page.gate) if condition.download else None,
            person=person,
        )
    unmet = condition.unmet()
    url = address_of(tab.page)
    waited_ms = round((trio.current_time() - began) * 1000)
    raise KaptureError(
        ErrorCode.COMMAND_TIMEOUT,
        f"Timed out after {waited_ms} ms: {'; '.join(unmet)}."
        + (f" The page is at {url}." if params.url is None else ""),
        hint=Wording("{Look} to see the page.", "Or wait longer with {timeout}."),
        data={"seen": [seen for _, seen in condition.last], "unmet": unmet, "url": url, "waitedMs": waited_ms},
    )


def _condition(tab: TabContext, params: WaitFor) -> WaitCondition:
    target = params.element
    condition = WaitCondition(
        page=tab.page,
        spec=None if target is None else as_spec(target),
        state=params.state,
        text=params.text,
        text_gone=params.text_gone,
        url=params.url,
        network_idle=params.network_idle,
        awaits_download=params.download,
        reported_downloads=tab.client.kept.setdefault("reported downloads", set()),
    )
    if not (condition.asks_page() or params.network_idle or params.person):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "There is nothing to wait for.",
            hint="Give a target or selector, text, text_gone, url, network_idle, download or person.",
        )
    return condition


def _download_facts(download: Download, gate: ReadGate) -> dict[str, Any]:
    return {
        "filename": shown_download(download, gate),
        "url": shown_address(download.url, gate),
        "state": download.state,
        "bytes": int(download.received_bytes),
    }


_PENDING = "kapture:pending"

# The waiting in the page ends by itself after a while, in case the caller is gone, and is then repeated.
_LONG_MS, _SHORT_MS = 1_000, 100
_ROUND = f"""
    const end = performance.now() + ROUND_MS;
    let last;
    do {{
        try {{
            let value = await code();
            if (call && typeof value === 'function') value = await value();
            if (value) return describeValue(value, limit);
            last = undefined;
        }} catch (error) {{
            last = error;
        }}
        await new Promise((resolve) => {{
            requestAnimationFrame(resolve);
            setTimeout(resolve, 200);
        }});
    }} while (performance.now() < end);
    return describeValue(last && String(last), limit, '{_PENDING}');
"""


def _runner() -> str:
    # Short rounds near the end, so that the code's last exception is known by then.
    ms = _LONG_MS if remaining_ms() > 2 * _LONG_MS else _SHORT_MS
    return runner_source(_ROUND.replace("ROUND_MS", str(ms)))


@attrs.frozen(kw_only=True)
class WaitForFunction:
    """Wait until your JavaScript returns a true value, and answer it."""

    code: Annotated[str, Meta(min_length=1, max_length=1_000_000, description="As for evaluate.")]
    frame: Annotated[str | None, Meta(description="Frame: f2, or part of its URL.")] = None


@command("wait_for_function", access=Access.FULL, toolset="more", timeout_ms=SLOW_TIMEOUT_MS, destructive=True)
async def wait_for_function(tab: TabContext, params: WaitForFunction) -> FunctionReturned:
    """Run the code at every animation frame, in the document that the tab shows then; exceptions count as false."""
    began = trio.current_time()
    last: str | None = None
    with before_timeout():
        while True:
            frame = tab.page.frames.main if params.frame is None else tab.page.frames.find(params.frame)
            context = await frame.context("main")
            frame.check_granted()  # the document that the context is of, not the one before
            try:
                debugged = tab.page.dialogs.debugged(context.session)
                terminator = ScriptTerminator(context, params.code, expects_to_wait=True, debugged=debugged)
                script = Script(frame, context, params.code, wait=terminator.wait, runner=_runner())
                evaluated = await answer_of(frame, await terminator.run(script.run))
            except ContextGone:
                continue
            waited_ms = round((trio.current_time() - began) * 1000)
            if evaluated.type != _PENDING:
                return FunctionReturned(value=evaluated.value, waited_ms=waited_ms)
            last = evaluated.value
    raise KaptureError(
        ErrorCode.COMMAND_TIMEOUT,
        f"Timed out after {round((trio.current_time() - began) * 1000)} ms: the code did not return a truthy value."
        + (f" It last threw {last}." if last else ""),
        hint="Check the code with evaluate, or wait longer with timeout.",
        data={"error": last} if last else None,
    )


@attrs.frozen(kw_only=True)
class WaitForResponse:
    """Wait until a request that matches has ended. Give `since` (a cursor taken before acting) to catch early ones."""

    url: Glob
    method: str | None = None
    status: Status = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor; default: from now.")] | None = None


@command("wait_for_response", access=Access.READ, lane=Lane.CONTROL, toolset="network", timeout_ms=SLOW_TIMEOUT_MS)
async def wait_for_response(tab: TabContext, params: WaitForResponse) -> ResponseAnswer:
    """Check past requests, then new ones. The command's own timeout limits it."""
    log = tab.page.network
    since = log.cursor if params.since is None else params.since
    while True:
        for request in log.oldest_first():
            if request.seq <= since or not request.finished:
                continue
            shown = shown_request(request, tab.page)
            if shown is not None and matches(shown, url=params.url, method=params.method, status=params.status):
                return ResponseAnswer(request=request_line(shown), cursor=log.cursor)
        await log.changed.wait()
