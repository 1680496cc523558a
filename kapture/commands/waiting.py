"""Waiting for something to become true of the page, always bounded, and saying what was seen when it did not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeAlias

import attrs
import trio
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import before_timeout
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, command
from kapture.commands.core.targets import OptionalTarget, Selector, chosen
from kapture.errors import ErrorCode, KaptureError
from kapture.page.agent_calls import DocumentGoneError
from kapture.page.downloads import Download
from kapture.page.element import Element
from kapture.page.frames import Frame
from kapture.page.locate import agent_target, frames_for, say
from kapture.page.routes import url_matches
from kapture.page.target import TargetSpec, as_spec

State: TypeAlias = Literal["visible", "attached", "hidden", "gone"]

IDLE_S = 0.5
"""How long the network must be quiet to count as idle."""

_WATCH_MS = 20_000
# Connections that stay open say nothing about whether a page has settled.
_LASTING = frozenset({"websocket", "eventsource", "ping", "webtransport"})


@attrs.frozen(kw_only=True)
class WaitFor:
    """Wait until all that is given holds: element, text, URL, network, download."""

    target: OptionalTarget = None
    selector: Selector = None
    state: Annotated[State, Meta(description="hidden: none is visible; gone: none exists.")] = "visible"
    text: Annotated[str, Meta(min_length=1, description="That is shown.")] | None = None
    text_gone: Annotated[str, Meta(min_length=1, description="That is shown no more.")] | None = None
    url: Annotated[str | None, Meta(description="Glob for the URL: */done*.")] = None
    network_idle: Annotated[bool, Meta(description="No request for half a second.")] = False
    download: Annotated[bool, Meta(description="One has ended.")] = False


@attrs.frozen(kw_only=True)
class Waited(Answer):
    """What holds now. `element` is the first match, if an element was waited for and there is one."""

    seen: list[str]
    waited_ms: int
    element: dict[str, Any] | None = None
    download: dict[str, Any] | None = None

    def text(self) -> str:
        """What holds, and how long it took."""
        return f"{'; '.join(self.seen)} (after {self.waited_ms} ms)"


@command("wait_for", access=Access.READ, timeout_ms=SLOW_TIMEOUT_MS, idempotent=True)
async def wait_for(tab: TabContext, params: WaitFor) -> Waited:
    """Wait, and answer what is there; `COMMAND_TIMEOUT` says what was there instead."""
    wish = _Wish.of(tab, params)
    began = trio.current_time()
    with before_timeout():
        met = await wish.come_true()
        return Waited(
            seen=[said for _, said in met],
            waited_ms=round((trio.current_time() - began) * 1000),
            element=wish.element.as_json() if wish.element else None,
            download=_download_facts(wish.download) if wish.download else None,
        )
    if wish.last or not wish.asks_page():
        unmet = [said for holds, said in wish.last if not holds] or [f"the network was never quiet{_busy_with(tab)}"]
    else:
        unmet = ["the page was too busy to be looked at"]
    url = tab.page.url
    raise KaptureError(
        ErrorCode.COMMAND_TIMEOUT,
        f"It did not come true in {round((trio.current_time() - began) * 1000)} ms: {'; '.join(unmet)}."
        + (f" The page is at {url}." if params.url is None else ""),
        hint="Look at the page with a snapshot, or wait longer with timeout.",
        data={"seen": [said for _, said in wish.last], "unmet": unmet, "url": url},
    )


Finding: TypeAlias = tuple[bool, str]
"""Whether one part of the wish holds, and in words what was seen of it."""


@attrs.define(eq=False)
class _Wish:
    """What is waited for, and what was last seen of it."""

    tab: TabContext
    params: WaitFor
    spec: TargetSpec | None
    last: list[Finding] = attrs.field(factory=list)
    element: Element | None = None
    download: Download | None = None
    _looks: dict[Frame, tuple[dict[str, Any], dict[str, Any]]] = attrs.field(factory=dict)

    @classmethod
    def of(cls, tab: TabContext, params: WaitFor) -> _Wish:
        target = chosen(params.target, params.selector)
        wish = cls(tab, params, None if target is None else as_spec(target))
        if not (wish.asks_page() or params.network_idle):
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "Nothing to wait for was given.",
                hint="Give a target or selector, text, text_gone, url, network_idle or download.",
            )
        return wish

    async def come_true(self) -> list[Finding]:
        """Look, and look again at each change, until everything holds at once."""
        while True:
            # Taken before looking: what changes while we look wakes us at once.
            wakers = self._wakers()
            self.last = await self._look()
            if all(holds for holds, _ in self.last):
                if not self.params.network_idle:
                    return self.last
                await self._quiet()
                self.last = [*await self._look(), (True, "the network is idle")]
                if all(holds for holds, _ in self.last):
                    return self.last
                continue
            await _first(wakers + [self._watch(frame, *asked) for frame, asked in self._looks.items()])

    def _asks_documents(self) -> bool:
        return self.spec is not None or bool(self.params.text or self.params.text_gone)

    def asks_page(self) -> bool:
        """Whether there is more to it than the network."""
        return self._asks_documents() or self.params.url is not None or self.params.download

    def _wakers(self) -> list[Callable[[], Awaitable[object]]]:
        wakers: list[Callable[[], Awaitable[object]]] = [self.tab.page.frames.change.wait]
        if self.params.download:
            wakers.append(self.tab.page.downloads.change.wait)
        return wakers

    async def _look(self) -> list[Finding]:
        found: list[Finding] = []
        page = self.tab.page
        if self.params.url is not None:
            found.append((url_matches(page.url, self.params.url), f"the page is at {page.url}"))
        if self._asks_documents():
            found += await self._look_at_documents()
        if self.params.download:
            found.append(self._look_at_downloads())
        return found

    async def _look_at_documents(self) -> list[Finding]:
        self._looks = {}
        self.element = None
        for frame, question in self._questions().items():
            try:
                look = await frame.call("see", question)
            except DocumentGoneError:
                continue  # the change that took it away brings us back
            self._looks[frame] = (question, look)
            if self.element is None and look.get("first"):
                self.element = Element.of(frame, look["first"])
        found: list[Finding] = []
        if self.spec is not None:
            found.append(self._element_finding(self.spec))
        texts = [text for text in (self.params.text, self.params.text_gone) if text is not None]
        for at, text in enumerate(texts):
            shown = any(look["texts"][at] for _, look in self._looks.values())
            wanted = self.params.text is not None and at == 0
            found.append((shown is wanted, f"the text {text!r} is {'shown' if shown else 'not shown'}"))
        return found

    def _element_finding(self, spec: TargetSpec) -> Finding:
        attached = sum(look["attached"] for _, look in self._looks.values())
        visible = sum(look["visible"] for _, look in self._looks.values())
        holds = {"visible": visible > 0, "attached": attached > 0, "hidden": visible == 0, "gone": attached == 0}
        what = say(spec)
        if not attached:
            return holds[self.params.state], f"no element matches {what}"
        first = self.element.describe() if self.element else what
        more = f" and {attached - 1} more match {what}" if attached > 1 else f" matches {what}"
        shown = "visible" if visible == attached else "hidden" if visible == 0 else f"{visible} of them visible"
        return holds[self.params.state], f"{first}{more}, {shown}"

    def _look_at_downloads(self) -> Finding:
        told: set[str] = self.tab.client.kept.setdefault("downloads told", set())
        latest = ""
        for download in self.tab.page.downloads:
            if download.guid in told:
                continue
            if download.state == "inProgress":
                latest = f"{download.filename or download.url}: {download.received_bytes:.0f} bytes so far"
                continue
            told.add(download.guid)
            self.download = download
        if self.download is not None:
            name = self.download.filename or self.download.url
            how = "is complete" if self.download.state == "completed" else "was cancelled"
            return True, f"the download {name} {how}"
        return False, f"a download is under way ({latest})" if latest else "no download has begun"

    def _questions(self) -> dict[Frame, dict[str, Any]]:
        """What to ask which frame: texts count wherever they are, the target may name its frame."""
        tree = self.tab.page.frames
        tree.main.check_granted()
        questions: dict[Frame, dict[str, Any]] = {}
        texts = [text for text in (self.params.text, self.params.text_gone) if text is not None]
        if texts:
            questions = {frame: {"texts": texts} for frame in tree.all() if frame.granted and not frame.crashed}
        if self.spec is not None:
            try:
                for frame in frames_for(tree, self.spec):
                    questions.setdefault(frame, {"texts": texts})["target"] = agent_target(self.spec)
            except KaptureError as error:
                # The frame that is meant may not be there yet, or not any more.
                if error.code not in (ErrorCode.REF_EXPIRED, ErrorCode.ELEMENT_NOT_FOUND):
                    raise
        return questions

    def _watch(self, frame: Frame, question: dict[str, Any], look: dict[str, Any]) -> Callable[[], Awaitable[object]]:
        was = {key: look[key] for key in ("attached", "visible", "texts")}

        async def watch() -> None:
            try:
                await frame.call("seeChange", {**question, "was": was, "ms": _WATCH_MS})
            except DocumentGoneError:
                return

        return watch

    async def _quiet(self) -> None:
        """Return once no request has been under way for a while."""
        network = self.tab.page.network
        while True:
            busy = any(not one.finished and one.type not in _LASTING for one in network.oldest_first())
            with trio.move_on_after(float("inf") if busy else IDLE_S):
                await network.changed()
                continue
            return


def _busy_with(tab: TabContext) -> str:
    urls = [
        request.url
        for request in tab.page.network.oldest_first()
        if not request.finished and tab.page.gate(request.document_url)
    ]
    return f": {', '.join(url[:200] for url in urls[:3])}" if urls else ""


def _download_facts(download: Download) -> dict[str, Any]:
    return {
        "filename": download.filename,
        "url": download.url,
        "state": download.state,
        "bytes": int(download.received_bytes),
    }


async def _first(waits: list[Callable[[], Awaitable[object]]]) -> None:
    """Return when the first of them does; the others are given up. Failures are raised as they are."""
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
