"""A person's browser with the extension: its tabs, its DevTools, and the pages of the extension."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import attrs

from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.package_files import extension_folder
from kapture.pairing.host_manifest import write_host_manifest
from tests.support.direct import (
    attached,
    browser_target,
    close,
    devtools_port,
    direct_page,
    new_tab,
    page_target,
    targets,
)
from tests.support.panel import Panel, show_panel
from tests.support.patience import evaluate, until

EXTENSION = "chrome-extension://jjllhgagajepglkofmhapipikepcofkp"


_ATTACHED_TABS = """
chrome.tabs.query({}).then(async (tabs) => {
  const asked = tabs.map(({ id }) => chrome.debugger.sendCommand({ tabId: id }, 'Target.getTargetInfo'));
  const answers = await Promise.allSettled(asked);
  return tabs.filter((_, index) => answers[index].status === 'fulfilled').map(({ url }) => url);
})
"""


@attrs.frozen
class Person:
    """A person's browser: the extension is loaded and paired, no tab is connected."""

    port: int

    async def target(self, part: str) -> dict[str, Any]:
        """The first target whose URL contains this, waited for."""

        async def look() -> dict[str, Any] | None:
            return next((target for target in await targets(self.port) if part in target["url"]), None)

        return await until(look, part)

    async def gone(self, part: str) -> None:
        """Wait until no target's URL contains this."""

        async def look() -> bool:
            return not any(part in target["url"] for target in await targets(self.port))

        await until(look, f"the end of {part}")

    async def in_worker(self, expression: str) -> Any:
        """The value of an expression in the extension's service worker."""
        async with attached(await self.target(f"{EXTENSION}/worker/main.js")) as worker:
            return await evaluate(worker, expression)

    async def attached_tabs(self) -> list[str]:
        """The URLs of the tabs that Kapture has a debugger session with."""
        return list(await self.in_worker(_ATTACHED_TABS))

    async def close_first_run(self) -> None:
        """Close the page that opened because the extension was installed."""
        page = await self.target(f"{EXTENSION}/ui/first_run.html")
        await close(self.port, page["id"])
        await self.gone("first_run.html")

    async def open(self, url: str) -> None:
        """Open a tab, and leave it to `reset` to close it."""
        await new_tab(self.port, url)

    async def reset(self, kept: Collection[str] = ()) -> None:
        """Close everything but an empty tab and the targets that are `kept`, by their ids, and remove what the
        extension has stored: settings, grants, activity."""

        async def alone() -> bool:
            found = [target for target in await targets(self.port) if target["type"] in ("page", "other")]
            shown = [target for target in found if target["id"] not in kept]
            empty = next((target for target in shown if target["url"] == "about:blank"), None)
            if empty is None:  # the last tab is never closed: the browser would end with it
                await self.open("about:blank")
                return False
            for target in shown:
                if target is not empty:
                    with suppress(HTTPError):  # it has closed by itself meanwhile, like the DevTools of a tab
                        await close(self.port, target["id"])
            return shown == [empty]

        await until(alone, "the end of all tabs but one")
        await self.in_worker("chrome.storage.local.clear()")

    async def stop_worker(self) -> None:
        """End the extension's service worker, as the browser does when it is idle. An event starts it again."""
        worker = await self.target(f"{EXTENSION}/worker/main.js")
        await close(self.port, worker["id"])
        await self._target_ended(worker["id"])  # what happens before it would be lost with it

    async def restart_worker(self) -> None:
        """End the extension's service worker, and start it with an event."""
        await self.stop_worker()
        await self.open("about:blank")  # starts it at once, the extension's alarm only within 30 s

    async def _target_ended(self, target_id: str) -> None:
        async def ended() -> bool:
            return all(target["id"] != target_id for target in await targets(self.port))

        await until(ended, "the end of the target")

    async def kill_extension(self) -> None:
        """End the extension's process, as a system that is out of memory does."""
        async with attached(await browser_target(self.port)) as browser:
            processes = (await browser.root.send("SystemInfo.getProcessInfo"))["processInfo"]
        (pid,) = (process["id"] for process in processes if _is_extension(process["id"]))
        worker = await self.target(f"{EXTENSION}/worker/main.js")
        os.kill(pid, signal.SIGKILL)
        await self._target_ended(worker["id"])

    @asynccontextmanager
    async def view(self, page: str) -> AsyncIterator[Panel]:
        """A page of the extension that is open, such as `question.html`; waited for."""
        async with attached(await self.target(f"{EXTENSION}/ui/{page}")) as opened:
            await opened.root.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
            yield Panel(opened, opened)

    @asynccontextmanager
    async def extension_page(self, page: str) -> AsyncIterator[Panel]:
        """A page of the extension in a tab of its own, such as `options.html`."""
        async with direct_page(self.port, f"{EXTENSION}/ui/{page}") as opened:
            await opened.root.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
            yield Panel(opened, opened)

    @asynccontextmanager
    async def panel(self, of: str = "http:") -> AsyncIterator[Panel]:
        """The Kapture panel, shown in DevTools that are opened for a tab whose address begins like this."""

        async def look() -> dict[str, Any] | None:
            found = [target for target in await targets(self.port) if target["type"] == "page"]
            return next((target for target in found if target["url"].startswith(of)), None)

        tab = await until(look, f"a tab of {of}")
        async with attached(await browser_target(self.port)) as browser:
            # Not with the elements, which DevTools would show first: the console takes a fifth less processor time.
            which = {"targetId": tab["id"], "panelId": "console"}
            opened = await browser.root.send("Target.openDevTools", which)
        async with self.devtools(opened["targetId"]) as panel:
            yield panel

    @asynccontextmanager
    async def devtools(self, target_id: str) -> AsyncIterator[Panel]:
        """The Kapture panel, shown in DevTools that are open."""
        async with attached(page_target(self.port, target_id)) as frontend:
            await show_panel(frontend)
            async with attached(await self.target(f"{EXTENSION}/ui/panel.html")) as panel:
                for page in (frontend, panel):  # a page that thinks itself hidden takes seconds for a click
                    await page.root.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
                yield Panel(panel, frontend)


def _is_extension(pid: int) -> bool:
    with suppress(OSError):  # it has ended meanwhile
        return b"--extension-process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


@asynccontextmanager
async def person_at_browser(
    home: Path,
    profile: Path,
    url: str = "about:blank",
    *,
    grant: Mapping[str, Any] | None = None,
    paired: bool = True,
    first_run: bool = False,
    extension: Path | None = None,
    display: str | None = None,
) -> AsyncIterator[Person]:
    """A browser whose extension finds the hub of `home` if it is `paired`. Without a `display` it is headless.

    With a `grant` it is one that was launched for it: every tab connects by itself. The page that opens after
    installing is closed, unless a test wants to see it. `extension`: another folder than the package's.
    """
    if paired:
        write_host_manifest(profile / "NativeMessagingHosts", home=home, launch_grant=grant)
    launch = Launch(
        profile=profile,
        extension=extension or extension_folder(),
        headless=display is None,
        environment={} if display is None else {"DISPLAY": display},
        urls=(url,),
        extra=(
            "--remote-debugging-port=0",
            *(["--test-type"] if display else []),  # no bar about flags, which would stand before Kapture's
        ),
    )
    async with running(launch):
        person = Person(await devtools_port(profile))
        if grant is None and not first_run:
            await person.close_first_run()
        yield person
