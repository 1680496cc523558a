"""A real browser with the extension and two tabs, for faults of it, of its hub and of the hub's data folder.

Each tab is worked in without a pause. Every answer must come, once, and be its own tab's, or be an error.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import click
import trio

from bench.hub_process import HubProcess
from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import BrowserProcess, running
from kapture.cli.doctor.setup_checks import data_folder
from kapture.cli.extension_browser import FULL_GRANT
from kapture.cli.rotate_key import rotate
from kapture.package_files import extension_folder
from kapture.pairing import key_file
from kapture.pairing.host_manifest import write_host_manifest
from tests.faults.counting import CountingClient, counting_client
from tests.faults.test_disk import full_disk_of
from tests.faults.world import PATIENCE_S, Tally, recovered
from tests.support.direct import attached, close, devtools_port, targets
from tests.support.patience import until
from tests.support.person import EXTENSION, Person
from tests.support.site import Site, serving

_PAGES = {"/alpha": "<title>alpha</title><button>Press</button>", "/beta": "<title>beta</title><p>text</p>"}
NAMES = ("alpha", "beta")
_CALL_MS = 30_000
_BETWEEN_CALLS_S = 0.02
_WORKER = f"{EXTENSION}/worker/main.js"
_LOST = re.compile("TAB_DISCONNECTED|TAB_NOT_FOUND|DETACHED")


@attrs.define(eq=False)
class Scene:
    """`tabs`: the id of each tab, by the title of its page. `refused`: how many calls were answered with an error."""

    hub: HubProcess
    site: Site
    client: CountingClient
    tally: Tally
    process: BrowserProcess
    person: Person
    tabs: dict[str, str]
    refused: dict[str, int] = attrs.field(factory=lambda: dict.fromkeys(NAMES, 0))

    async def tool(self, name: str, **arguments: Any) -> tuple[bool, str]:
        """Whether the answer of a tool was an error, and its text. Every call must be answered."""
        self.tally.calls += 1
        answer = await self.client.request("tools/call", {"name": f"kapturemcp_{name}", "arguments": arguments})
        if answer is None or "result" not in answer:
            self.tally.lost += 1
            raise AssertionError(f"{name} was answered with {answer}")
        result = answer["result"]
        return bool(result.get("isError")), "\n".join(part.get("text", "") for part in result["content"])

    async def ask(self, name: str) -> bool:
        """Whether a command ran in this tab; its answer must be of this tab and this call."""
        number = self.tally.calls
        code = f"document.title + '/{number}'"
        failed, text = await self.tool("evaluate", tabId=self.tabs[name], code=code, timeout=_CALL_MS)
        if failed:
            self.refused[name] += 1
        elif f"{name}/{number}" not in text:
            self.tally.lost += 1
            raise AssertionError(f"{name}/{number} was answered with {text!r}")
        return not failed

    async def answers(self, name: str) -> None:
        """Wait until a command runs in this tab."""
        await until(lambda: self.ask(name), f"an answer of {name}")

    async def all_answer(self) -> None:
        """Wait until commands run in every tab."""
        for name in NAMES:
            await self.answers(name)


async def _work(scene: Scene, name: str) -> None:
    while True:
        await scene.ask(name)
        await trio.sleep(_BETWEEN_CALLS_S)


Fault = Callable[[Scene], Awaitable[None]]


async def under_load(scene: Scene, what: str, fault: Fault) -> None:
    """Do this to what is worked in, and wait until every tab is worked in again."""
    with trio.fail_after(PATIENCE_S + 60):
        async with trio.open_nursery() as nursery:
            for name in NAMES:
                nursery.start_soon(_work, scene, name)
            await scene.all_answer()
            await fault(scene)
            scene.tally.faults[what] += 1
            await recovered(scene.tally, scene.all_answer)
            nursery.cancel_scope.cancel()
    assert scene.client.answered_twice() == []


# The faults


async def stop_worker(scene: Scene) -> None:
    """End the extension's service worker, as the browser does."""
    worker = await scene.person.target(_WORKER)
    await close(scene.person.port, worker["id"])

    async def ended() -> bool:
        return all(target["id"] != worker["id"] for target in await targets(scene.person.port))

    await until(ended, "the end of the worker")


async def crash_page(scene: Scene) -> None:
    """Crash one tab's page: the other goes on, and the tab lives again with the next page."""
    before = dict(scene.refused)
    async with attached(await scene.person.target(scene.site.url("/beta"))) as page:
        page.root.submit("Page.crash")
        while scene.refused["beta"] == before["beta"]:
            await scene.ask("beta")
    assert scene.refused["alpha"] == before["alpha"], "a crashed page disturbed another tab"
    with suppress(trio.TooSlowError):
        await scene.tool("navigate", tabId=scene.tabs["beta"], url=scene.site.url("/beta"))


def suspend_browser(seconds: float) -> Fault:
    """Stop all of the browser's processes for so long."""

    async def suspend(scene: Scene) -> None:
        os.killpg(scene.process.pid, signal.SIGSTOP)
        try:
            await trio.sleep(seconds)
        finally:
            os.killpg(scene.process.pid, signal.SIGCONT)

    return suspend


def suspend_hub(seconds: float) -> Fault:
    """Stop the hub for so long."""

    async def suspend(scene: Scene) -> None:
        scene.hub.process.send_signal(signal.SIGSTOP)
        try:
            await trio.sleep(seconds)
        finally:
            scene.hub.process.send_signal(signal.SIGCONT)

    return suspend


async def fill_disk(scene: Scene) -> None:
    """The hub's files cannot grow, and its key cannot be changed; calls go on."""
    with full_disk_of(scene.hub):
        await _unwritable(scene)

        async def reported() -> bool:
            return "auditFailure" in (await scene.tool("status"))[1]

        await until(reported, "the failure in status")  # the log is written beside the calls


async def make_read_only(scene: Scene) -> None:
    """The data folder takes no new file; calls go on, and `doctor` says so."""
    with _read_only(scene.hub.home):
        await _unwritable(scene)
        assert data_folder(scene.hub.home).state == "bad"


async def _unwritable(scene: Scene) -> None:
    before = dict(scene.refused)
    key = key_file.read(scene.hub.home)
    with suppress(click.ClickException):
        await rotate(scene.hub.home)
        raise AssertionError("the key was changed without a file that says so")
    scene.hub.process.send_signal(signal.SIGHUP)
    await scene.all_answer()
    assert key_file.read(scene.hub.home) == key
    assert scene.refused == before, "calls were refused because the hub could not write"


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    if os.geteuid() == 0:  # whom no mode keeps out
        subprocess.run(["chattr", "+i", str(folder)], check=True)
    else:
        folder.chmod(0o500)
    try:
        yield
    finally:
        if os.geteuid() == 0:
            subprocess.run(["chattr", "-i", str(folder)], check=True)
        else:
            folder.chmod(0o700)


# The scene


@asynccontextmanager
async def scene_of(hub: HubProcess, profile: Path, tally: Tally) -> AsyncIterator[Scene]:
    """A browser with both tabs connected to this hub, and a client, for the length of the block."""
    write_host_manifest(profile / "NativeMessagingHosts", home=hub.home, launch_grant=FULL_GRANT)
    with serving(_PAGES) as site:
        launch = Launch(
            profile=profile,
            extension=extension_folder(),
            headless=True,
            urls=(site.url("/alpha"),),
            extra=("--remote-debugging-port=0",),
        )
        async with running(launch) as process, counting_client(hub.port, hub.token) as client:
            person = Person(await devtools_port(profile))
            scene = Scene(hub, site, client, tally, process, person, {})
            scene.tabs["alpha"] = await _connected(scene, "alpha")
            await scene.tool("tab_new", tabId=scene.tabs["alpha"], url=site.url("/beta"))
            scene.tabs["beta"] = await _connected(scene, "beta")
            yield scene


async def _connected(scene: Scene, name: str) -> str:
    async def look() -> str | None:
        _, listed = await scene.tool("list_tabs")
        found = re.search(rf"^  (\w{{8}}),.*{re.escape(scene.site.url(f'/{name}'))}", listed, re.MULTILINE)
        return found[1] if found else None

    return await until(look, f"the tab {name}")


async def _lost(scene: Scene, name: str) -> bool:
    return _LOST.search((await scene.tool("tab_info", tabId=scene.tabs[name]))[1]) is not None


async def kill_browser(hub: HubProcess, profile: Path, tally: Tally) -> None:
    """Kill a browser that is worked in: every call is answered, its tabs are lost, and those of the next one serve."""
    with trio.fail_after(PATIENCE_S + 60):
        async with scene_of(hub, profile, tally) as scene, trio.open_nursery() as nursery:
            for name in NAMES:
                nursery.start_soon(_work, scene, name)
            await scene.all_answer()
            os.killpg(scene.process.pid, signal.SIGKILL)
            await scene.process.ended.wait()
            tally.faults["browser killed"] += 1
            for name in NAMES:
                await until(partial(_lost, scene, name), f"the end of {name}")
            nursery.cancel_scope.cancel()
        assert scene.client.answered_twice() == []

    async def start_again() -> None:
        async with scene_of(hub, profile, tally) as again:
            await again.all_answer()

    await recovered(tally, start_again)
