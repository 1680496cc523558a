"""A person's actions with real input: open DevTools, press Connect in the Kapture panel, read it."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import attrs
import trio

from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.cdp import CdpConnection
from kapture.package_files import extension_folder
from kapture.pairing.host_manifest import write_host_manifest
from tests.support.deep_page import button_script, element_script, text_script
from tests.support.direct import attached, close, devtools_port, direct_page, new_tab, targets
from tests.support.patience import evaluate, until

EXTENSION = "chrome-extension://jjllhgagajepglkofmhapipikepcofkp"


ROOT = Path(__file__).resolve().parents[2]

_AXE = """
axe.run(document, {resultTypes: ['violations', 'passes']}).then(({violations, passes}) => ({
  passes: passes.length,
  violations: violations.flatMap(({id, nodes}) =>
    nodes.map(({target, any}) => `${id}: ${target.flat()} ${any[0]?.message ?? ''}`)),
}))
"""

_FRAME = """
(() => {
  const all = function* (root) {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* all(element.shadowRoot);
    }
  };
  return [...all(document)].find((one) => one.localName === 'iframe' && one.src.includes('/ui/panel.html'));
})()
"""
_BOX = f"{_FRAME}.getBoundingClientRect()"

_SHOW_PANEL = """
(async () => {
  if (!document.querySelector('.root-view')) return false;  // DevTools is still being set up
  const UI = await import('./ui/legacy/legacy.js');
  const manager = UI.ViewManager.ViewManager.instance();
  const id = [...manager.views.keys()].find((key) => key.includes('Kapture'));
  if (!id) return false;
  await manager.showView(id);
  return true;
})()
"""


_ATTACHED_TABS = """
chrome.tabs.query({}).then(async (tabs) => {
  const asked = tabs.map(({ id }) => chrome.debugger.sendCommand({ tabId: id }, 'Target.getTargetInfo'));
  const answers = await Promise.allSettled(asked);
  return tabs.filter((_, index) => answers[index].status === 'fulfilled').map(({ url }) => url);
})
"""

_SHOW_CONSOLE = """
(async () => {
  const UI = await import('./ui/legacy/legacy.js');
  await UI.ViewManager.ViewManager.instance().showView('console');
})()
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

    async def in_worker(self, expression: str) -> Any:
        """The value of an expression in the extension's service worker."""
        async with attached(await self.target(f"{EXTENSION}/worker/main.js")) as worker:
            return await evaluate(worker, expression)

    async def attached_tabs(self) -> list[str]:
        """The URLs of the tabs that Kapture has a debugger session with."""
        return list(await self.in_worker(_ATTACHED_TABS))

    async def close_first_run(self, devtools: bool) -> None:
        """Close the page that opened because the extension was installed, and the DevTools that came with it."""
        page = await self.target(f"{EXTENSION}/ui/first_run.html")
        await close(self.port, page["id"])

        async def closed() -> bool:
            urls = [target["url"] for target in await targets(self.port)]
            return (
                not any("first_run.html" in url for url in urls)
                and sum(url.startswith("devtools:") for url in urls) == devtools
            )

        await until(closed, "the end of the first-run page")

    async def open(self, url: str) -> None:
        """Open a tab, and leave it to `reset` to close it."""
        await new_tab(self.port, url)

    async def reset(self) -> None:
        """Close everything but an empty tab, and remove what the extension has stored: settings, grants, activity."""

        async def alone() -> bool:
            shown = [target for target in await targets(self.port) if target["type"] in ("page", "other")]
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
        """End the extension's service worker, as the browser does when it is idle."""
        worker = await self.target(f"{EXTENSION}/worker/main.js")
        await close(self.port, worker["id"])

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
    async def panel(self, devtools: int = 0) -> AsyncIterator[Panel]:
        """The Kapture panel of the DevTools that are open, shown."""

        async def look() -> dict[str, Any] | None:
            found = [target for target in await targets(self.port) if target["url"].startswith("devtools://")]
            return found[devtools] if len(found) > devtools else None

        async with attached(await until(look, "DevTools")) as frontend:

            async def show() -> bool:
                return bool(await evaluate(frontend, _SHOW_PANEL))

            await until(show, "the Kapture panel")
            async with attached(await self.target(f"{EXTENSION}/ui/panel.html")) as panel:
                for page in (frontend, panel):  # a page that thinks itself hidden takes seconds for a click
                    await page.root.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
                yield Panel(panel, frontend)


@attrs.frozen
class Panel:
    """The panel's own document, and the DevTools around it."""

    page: CdpConnection
    frontend: CdpConnection

    async def leave(self) -> None:
        """Show DevTools' console in its place."""
        await evaluate(self.frontend, _SHOW_CONSOLE)

    async def text(self) -> str:
        """What it says."""
        return str(await evaluate(self.page, text_script()))

    async def press(self, label: str) -> None:
        """A real click on the button with this label, once it can be pressed."""
        await self._click(button_script(label), f"the button {label!r}")

    async def click(self, selector: str) -> None:
        """A real click on the first element that is shown and matches."""
        await self._click(element_script(selector), selector)

    async def fill(self, selector: str, text: str) -> None:
        """Type into a field, replacing its value."""
        await self.click(selector)
        await self.key("a", ctrl=True)
        await self.page.root.send("Input.insertText", {"text": text})

    async def key(self, key: str, *, ctrl: bool = False, alt: bool = False) -> None:
        """Press a key."""
        modifiers = (2 if ctrl else 0) | (1 if alt else 0)
        code = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowRight": 39, "ArrowDown": 40}.get(key, ord(key[0].upper()))
        commands = ["selectAll"] if ctrl and key == "a" else []
        press = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code, "commands": commands}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 and not (ctrl or alt) else "")
        for kind in ("keyDown", "keyUp"):
            await self.page.root.send(
                "Input.dispatchKeyEvent", {"type": kind, **press, **({"text": text} if kind == "keyDown" else {})}
            )

    async def _click(self, script: str, what: str) -> None:
        last: list[float] | None = None

        async def at_rest() -> list[float] | None:
            nonlocal last
            before, last = last, await evaluate(self.page, script)
            return last if last == before else None  # what still moves would let the click go past it

        x, y = await until(at_rest, what)
        click = {"x": x, "y": y, "button": "left", "clickCount": 1}
        await self.page.root.send_all(
            [
                ("Input.dispatchMouseEvent", {"type": kind, **click})
                for kind in ("mouseMoved", "mousePressed", "mouseReleased")
            ]
        )

    async def says(self, words: str) -> str:
        """Wait until the panel shows this text. Returns all its text."""

        text = ""

        async def look() -> bool:
            nonlocal text
            text = await self.text()
            return words in text

        try:
            await until(look, f"{words!r} in the panel")
        except AssertionError as error:
            raise AssertionError(f"{error}; it says:\n{text}") from None
        return text

    async def resize(self, width: int, height: int = 640) -> None:
        """Make the panel this large, in a DevTools window of sufficient size."""
        window = {"width": 1700, "height": height + 60, "deviceScaleFactor": 1, "mobile": False}
        await self.frontend.root.send("Emulation.setDeviceMetricsOverride", window)
        await evaluate(self.frontend, f"{_FRAME}.style = 'flex: none; width: {width}px; height: {height}px'; 1")

        async def fits() -> bool:
            return bool(await evaluate(self.page, "[innerWidth, innerHeight].join()") == f"{width},{height}")

        await until(fits, f"a panel of {width} by {height} px")

    async def axe(self) -> list[str]:
        """The violations that axe-core finds, one line each."""
        await evaluate(self.page, (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text() + ";1")
        found = await evaluate(self.page, _AXE)
        assert found["passes"] > 10
        return [str(line) for line in found["violations"]]

    async def picture(self, path: Path) -> None:
        """A screenshot of the panel."""
        box = f"(({{x, y, width, height}}) => ({{x, y, width, height, scale: 1}}))({_BOX})"
        clip = await evaluate(self.frontend, box)
        send = self.frontend.root.send
        await send("Page.startScreencast", {"format": "jpeg"})  # DevTools is drawn, whichever tab is in front
        shot = await send("Page.captureScreenshot", {"format": "png", "clip": clip})
        await send("Page.stopScreencast")
        await trio.Path(path).write_bytes(base64.b64decode(shot["data"]))


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
    devtools: bool = True,
    display: str | None = None,
) -> AsyncIterator[Person]:
    """A browser, with `devtools` open, whose extension finds the hub of `home` if it is `paired`. Without a `display`
    it is headless.

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
            *(["--auto-open-devtools-for-tabs"] if devtools else []),
            *(["--test-type"] if display else []),  # no bar about flags, which would stand before Kapture's
        ),
    )
    async with running(launch):
        person = Person(await devtools_port(profile))
        if grant is None and not first_run:
            await person.close_first_run(devtools)
        yield person
