"""The options and the first-run page, pressed as a person presses them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.cli.demo import demo_shop
from kapture.pairing.host_manifest import write_host_manifest
from tests.support.own_loop import on_own_loop
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.person import Person, person_at_browser
from tests.support.stack import free_port, hub_process

pytestmark = pytest.mark.e2e

_SHADOW = "document.querySelector('{host}').renderRoot.querySelector('{inner}')"


@pytest.fixture(scope="module")
def shared_person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """The browser behind `person`: here no hub runs where its extension looks for one."""
    folder = tmp_path_factory.mktemp("person")
    with on_own_loop(person_at_browser(folder / "home", folder / "profile")) as person:
        yield person


async def choose(page: Panel, host: str, control: str, key: str) -> None:
    """Choose from a list by the first letter of what is chosen."""
    await evaluate(page.page, _SHADOW.format(host=host, inner=control) + ".focus()")
    await page.key(key)


async def choose_file(page: Panel, path: Path) -> None:
    """Answer the browser's own dialog as the person."""
    send = page.page.root.send
    field = await send("Runtime.evaluate", {"expression": _SHADOW.format(host="k-pairing", inner="#file")})
    await send("DOM.setFileInputFiles", {"files": [str(path)], "objectId": field["result"]["objectId"]})


async def kept(person: Person) -> dict[str, Any]:
    """Return the stored settings of the person."""
    found: dict[str, Any] = await person.in_worker("chrome.storage.local.get(null)")
    return found


async def test_options_apply_at_once_and_are_kept(person: Person) -> None:
    async with person.extension_page("options.html") as options:
        await options.says("No hub is running now.")  # what is below it stays where it is then
        await choose(options, "k-settings", "#theme", "D")
        await choose(options, "k-settings", "#defaultSites", "A")
        await choose(options, "k-settings", "#defaultLevel", "R")
        await choose(options, "k-settings", "#silence", "6")
        await options.click("#shows")
        await options.click("#notifications")
        await options.fill("#history", "20")
        await options.key("Tab")

        async def dark() -> bool:
            return bool(await evaluate(options.page, "document.documentElement.dataset.theme === 'dark'"))

        await until(dark, "the dark theme")
        wanted = {
            "theme": "dark",
            "defaultSites": "any",
            "defaultLevel": "read",
            "silence": "60",
            "shows": False,
            "notifications": False,
            "history": 20,
        }

        async def all_kept() -> bool:
            found = await kept(person)
            return {name: str(found.get(name)) for name in wanted} == {key: str(one) for key, one in wanted.items()}

        await until(all_kept, f"{wanted} in the storage")


async def test_pairing_follows_what_the_person_does_in_the_options(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub:
        async with (
            person_at_browser(hub.home, tmp_path / "profile") as person,
            person.extension_page("options.html") as options,
        ):
            paired = f"Paired with the hub on port {hub.port}, through the installed helper."
            await options.says(paired)
            other = free_port()
            await options.fill("#port", str(other))
            await options.press("Save")
            await options.says(f"The hub is on port {hub.port}, and Kapture's options say {other}.")
            await options.fill("#port", str(hub.port))
            await options.press("Save")
            await options.says(paired)
            hub.kill()
            await options.press("Pair again")
            await options.says("No hub is running now.")


async def test_a_browser_without_the_helper_is_paired_by_file_until_the_file_is_forgotten(tmp_path: Path) -> None:
    nonsense = tmp_path / "nonsense.json"
    nonsense.write_text("no JSON")
    with hub_process(tmp_path / "home") as hub:
        async with (
            person_at_browser(hub.home, tmp_path / "profile", paired=False) as person,
            person.extension_page("options.html") as options,
        ):
            await options.says("This browser is not paired with a hub yet.")
            await choose_file(options, nonsense)
            await options.says("This file is not JSON.")
            await choose_file(options, hub.home / "hub.json")
            await options.says(f"Paired with the hub on port {hub.port}, through the chosen file.")
            assert json.loads((hub.home / "hub.json").read_text())["key"] not in json.dumps(await kept(person))
            await options.press("Forget the chosen file")
            await options.says("This browser is not paired with a hub yet.")


# It is said for a second and a half: who looks again and again, on a machine that stands still meanwhile, may miss it.
_NOTE_COPIED = """
globalThis.copied = new Promise((resolve) => {
  const watch = (root) => {
    const look = () => root.textContent.includes('Copied') && resolve(true);
    new MutationObserver(look).observe(root, { subtree: true, childList: true, characterData: true });
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) watch(shadowRoot);
  };
  watch(document);
});
1
"""


async def test_the_page_after_installing_ticks_each_step_when_it_is_done(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub, demo_shop() as shop:
        async with (
            person_at_browser(hub.home, tmp_path / "profile", shop, paired=False, first_run=True) as person,
            person.view("first_run.html") as page,
        ):
            await page.says("This browser is not paired with a hub yet.")
            await evaluate(page.page, _NOTE_COPIED)
            await page.press("Copy")
            with trio.fail_after(30):
                assert await evaluate(page.page, "copied")
            write_host_manifest(tmp_path / "profile" / "NativeMessagingHosts", home=hub.home)
            await page.says(f"Paired with the hub on port {hub.port}, through the installed helper.")
            await page.press("Connect Corner Shop")
            await page.says("A tab is connected. Your agent can list it now.")
