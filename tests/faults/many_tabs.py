"""Many tabs of a real browser over the extension, worked in by several clients, while tabs crash, sleep, close and
navigate at random and the extension's worker is stopped. What a tab answers must be its own, and of that call."""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import trio

from bench.hub_process import HubProcess
from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.cdp import CdpError
from kapture.cli.extension_browser import FULL_GRANT
from kapture.package_files import extension_folder
from kapture.pairing.host_manifest import write_host_manifest
from tests.faults.counting import CountingClient, counting_client
from tests.faults.world import PATIENCE_S, Tally
from tests.support.direct import attached, close, devtools_port, targets
from tests.support.patience import until
from tests.support.person import EXTENSION, Person
from tests.support.site import Site, serving

_CALL_MS = 20_000
_BETWEEN_CALLS_S = 0.2
_BETWEEN_FAULTS_S = 1.5
_REPORT_S = 60
_WAKES = 0.3
"""How often a client that is told of a tab without a page has it show one."""
_HTML = "<title>{name}</title><input aria-label=Field><button onclick=\"this.textContent = '{name} pressed'\">Press"
_FAULTS = {"navigated": 6, "crashed": 3, "put to sleep": 3, "closed, and another opened": 2, "worker stopped": 1}
_MAY_BE_REFUSED = frozenset(
    {"DETACHED", "TAB_DISCONNECTED", "TAB_NOT_FOUND", "COMMAND_TIMEOUT", "NAVIGATION_FAILED", "POLICY_DENIED"}
)
"""The codes that a call on a tab may end with whose page has crashed, sleeps or has closed, or is being left: the
empty page that is shown in between is not one of the grant."""
_DISCARD = """
chrome.tabs.query({url: %r}).then(([tab]) => chrome.tabs.discard(tab.id)).then(Boolean).catch(() => false)
"""


@attrs.define(eq=False)
class ManyTabs:
    """`tabs`: the id of each tab, by the path and title of its page. `refused`: the codes that calls ended with."""

    hub: HubProcess
    site: Site
    person: Person
    tally: Tally
    chosen: random.Random
    tabs: dict[str, str] = attrs.field(factory=dict)
    refused: Counter[str] = attrs.field(factory=Counter)
    made: int = 0

    async def tool(self, client: CountingClient, name: str, **arguments: Any) -> tuple[str, str]:
        """The code of the error that a tool answered with, or nothing, and its text. Every call must be answered."""
        self.tally.calls += 1
        with trio.fail_after(PATIENCE_S + _CALL_MS / 1_000):
            answer = await client.request("tools/call", {"name": f"kapturemcp_{name}", "arguments": arguments})
        if answer is None or "result" not in answer:
            self.tally.lost += 1
            raise AssertionError(f"{name} was answered with {answer}")
        text = "\n".join(part.get("text", "") for part in answer["result"]["content"])
        if not answer["result"].get("isError"):
            return "", text
        found = re.match(r"([A-Z_]+)", text)
        code = found[1] if found else text[:80]
        self.refused[code] += 1
        assert code in _MAY_BE_REFUSED, f"{name} {arguments}: {text[:500]}"
        return code, text

    async def work(self, client: CountingClient, name: str) -> str:
        """One call, of one of several tools, on this tab; its answer must be of this tab and this call. The code of an
        error, or nothing."""
        tab, number = self.tabs[name], self.tally.calls
        kind = self.chosen.choice(("evaluate", "evaluate", "fill", "snapshot", "tab_info"))
        mark = f"{name}/{number}"
        arguments = {
            "evaluate": {"code": f"document.title + '/{number}'", "timeout": _CALL_MS},
            "fill": {"target": {"role": "textbox", "name": "Field"}, "value": mark, "timeout": _CALL_MS},
        }
        failed, text = await self.tool(client, kind, tabId=tab, **arguments.get(kind, {}))
        wanted = {"evaluate": mark, "fill": ""}.get(kind, name)
        if not failed and not re.search(rf"\b{wanted}(?!\d)", text):
            self.tally.lost += 1
            raise AssertionError(f"{kind} of {name} was answered with {text[:300]!r}")
        return failed

    async def open(self, client: CountingClient) -> None:
        """Open one tab more."""
        self.made += 1
        name = f"t{self.made}"
        self.site.pages[f"/{name}"] = _HTML.format(name=name)
        opener = self.chosen.choice(list(self.tabs.values()))
        failed, text = await self.tool(client, "tab_new", tabId=opener, url=self.site.url(f"/{name}"))
        if failed:
            del self.site.pages[f"/{name}"]
            return
        found = re.search(r"\b[a-z0-9]{8}\b", text)
        assert found, text
        self.tabs[name] = found[0]

    async def fault(self, client: CountingClient) -> None:
        """One, chosen at random."""
        (what,) = self.chosen.choices(list(_FAULTS), list(_FAULTS.values()))
        name = self.chosen.choice(list(self.tabs))
        address = self.site.url(f"/{name}")
        match what:
            case "navigated":
                await self.tool(client, "navigate", tabId=self.tabs[name], url=address, timeout=_CALL_MS)
            case "crashed":
                target = next((each for each in await targets(self.person.port) if each["url"] == address), None)
                if target is None:
                    return
                with trio.move_on_after(1):  # no reply comes from what has crashed
                    async with attached(target) as page:
                        with suppress(CdpError):  # it has already
                            await page.root.submit("Page.crash").wait()
            case "put to sleep":
                with trio.move_on_after(5):  # the worker may be starting, or the tab asleep
                    await self.person.in_worker(_DISCARD % address)
            case "closed, and another opened":
                tab = self.tabs.pop(name)
                await self.tool(client, "tab_close", tabId=tab)
                await self.open(client)
            case _:
                for worker in await targets(self.person.port):
                    if worker["url"] == f"{EXTENSION}/worker/main.js":
                        await close(self.person.port, worker["id"])
        self.tally.faults[what] += 1

    async def revive(self, client: CountingClient, name: str) -> None:
        """Have this tab show its page again, and answer."""

        async def answers() -> bool:
            if not await self.work(client, name):
                return True
            await self.tool(client, "navigate", tabId=self.tabs[name], url=self.site.url(f"/{name}"), timeout=_CALL_MS)
            return False

        await until(answers, f"an answer of {name}")


@asynccontextmanager
async def many_tabs(hub: HubProcess, profile: Path, tally: Tally, *, tabs: int, seed: int) -> AsyncIterator[ManyTabs]:
    """A browser with so many connected tabs, for the length of the block."""
    write_host_manifest(profile / "NativeMessagingHosts", home=hub.home, launch_grant=FULL_GRANT)
    with serving({"/t0": _HTML.format(name="t0")}) as site:
        launch = Launch(
            profile=profile,
            extension=extension_folder(),
            headless=True,
            urls=(site.url("/t0"),),
            extra=("--remote-debugging-port=0",),
        )
        async with running(launch), counting_client(hub.port, hub.token) as client:
            there = ManyTabs(hub, site, Person(await devtools_port(profile)), tally, random.Random(seed))

            async def first() -> str | None:
                _, listed = await there.tool(client, "list_tabs")
                found = re.search(rf"^  (\w{{8}}),.*{re.escape(site.url('/t0'))}", listed, re.MULTILINE)
                return found[1] if found else None

            there.tabs["t0"] = await until(first, "the first tab")
            while len(there.tabs) < tabs:
                await there.open(client)
            yield there
            assert client.answered_twice() == []


async def crash_at_random(
    hub: HubProcess,
    profile: Path,
    tally: Tally,
    *,
    seed: int,
    tabs: int = 50,
    clients: int = 4,
    seconds: float = 600,
) -> None:
    """Work in so many tabs for so long; at the end every tab that was not closed must answer."""
    async with many_tabs(hub, profile, tally, tabs=tabs, seed=seed) as there, AsyncExitStack() as stack:
        working = [await stack.enter_async_context(counting_client(hub.port, hub.token)) for _ in range(clients)]
        began = trio.current_time()
        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                for client in working:
                    nursery.start_soon(_work_for_ever, there, client)
                nursery.start_soon(_faults_for_ever, there, working[0])
                nursery.start_soon(_report, there, began)
        for name in list(there.tabs):
            await there.revive(working[0], name)
        _say(there, began, "at the end, every tab answers")
        for client in working:
            assert not client.lost, "a client lost its connection"
            assert client.answered_twice() == []


async def _work_for_ever(there: ManyTabs, client: CountingClient) -> None:
    while True:
        name = there.chosen.choice(list(there.tabs))
        if await there.work(client, name) == "DETACHED" and there.chosen.random() < _WAKES and name in there.tabs:
            await there.tool(client, "navigate", tabId=there.tabs[name], url=there.site.url(f"/{name}"))
        await trio.sleep(_BETWEEN_CALLS_S)


async def _faults_for_ever(there: ManyTabs, client: CountingClient) -> None:
    while True:
        await trio.sleep(_BETWEEN_FAULTS_S)
        await there.fault(client)


async def _report(there: ManyTabs, began: float) -> None:
    while True:
        _say(there, began, "")
        await trio.sleep(_REPORT_S)


def _say(there: ManyTabs, began: float, what: str) -> None:
    memory = (there.hub.resident_bytes() or 0) / 1e6
    print(
        f"{trio.current_time() - began:.0f} s: hub {memory:.0f} MB, {len(there.tabs)} tabs, {there.tally.calls} calls, "
        f"{dict(there.refused)} {what}",
        file=sys.stderr,
        flush=True,
    )
