"""`kapture scenario run` and `run_scenario` through a hub and a browser with the extension, with the key of the secrets
in the system's keyring; and the secret searched for in everything that is left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import attrs
import pytest

from tests.support.changing_shop import shop_pages
from tests.support.site import Site
from tests.support.stack import HubProcess, browser_process, hub_process, images_of, mcp_client, text_of

pytestmark = pytest.mark.e2e

PASSWORD = "correct-horse-battery"
ROOT = Path(__file__).parents[2]


def checkout(site: Site) -> dict[str, Any]:
    """Sign in, put a lamp into the cart, and order it."""

    def step(command: str, role: str, name: str, css: str, value: str | None = None, **more: Any) -> dict[str, Any]:
        targets = [{"role": role, "name": name, "exact": True}, {"css": css}]
        element = {"role": role, "name": name, "attributes": {"id": css[1:]}}
        given = {} if value is None else {"arguments": {"value": value}}
        return {"command": command, "targets": targets, "element": element, **given, **more}

    return {
        "version": 1,
        "name": "checkout",
        "metadata": {"url": site.url("/sign-in")},
        "parameters": {"street": {"type": "string"}},
        "secrets": ["password"],
        "chain": [
            {"command": "navigate", "arguments": {"url": site.url("/sign-in")}},
            step("fill", "textbox", "Password", "#password", "{{password}}", secret=True),
            step("click", "button", "Sign in", "#sign-in"),
            {"command": "wait_for", "arguments": {"url": "*/articles*"}},
            {"command": "click", "targets": [{"css": "#add-lamp"}]},
            step("click", "button", "Go to checkout", "#go"),
            step("fill", "textbox", "Street", "#street", "{{street}}"),
            step("click", "button", "Place order", "#place"),
            {
                "check": {"kind": "text", "expected": "Thank you for the Lamp to {{street}}"},
                "targets": [{"role": "status"}],
                "timeout": 30_000,
            },
        ],
    }


@attrs.frozen
class Product:
    """A hub with one browser, and the shop's scenario with its secret."""

    hub: HubProcess
    tab_id: str
    folder: Path

    def run(self, *words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """`kapture scenario …`; what it says is kept with the files."""
        done = subprocess.run(
            [sys.executable, "-m", "kapture", "scenario", *words],
            env=self.hub.environment,
            cwd=self.folder,
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        with (self.folder / "said.txt").open("a") as said:
            said.write(done.stdout + done.stderr)
        return done

    def runs(self, *words: str) -> list[dict[str, Any]]:
        """`kapture scenario run … --json`, which must pass; the results."""
        done = self.run("run", *words, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return list(json.loads(done.stdout))


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHON_KEYRING_BACKEND", "tests.support.file_keyring.FileKeyring")
        environment.setenv("TEST_KEYRING", str(folder / "keyring.json"))
        environment.setenv("PYTHONPATH", str(ROOT))
        site.pages = shop_pages()
        with (
            hub_process(tmp_path_factory.mktemp("hub") / "home") as hub,
            browser_process(hub, arguments=["--level", "full"]) as (tab,),
        ):
            made = Product(hub, tab["tabId"], folder)
            scenario = checkout(site)
            second = {**scenario, "name": "again", "secrets": [], "chain": scenario["chain"][:1]}
            *steps, check = scenario["chain"]
            hasty = {**scenario, "name": "hasty", "chain": [*steps, {**check, "timeout": 5_000}]}
            for one in (scenario, second, hasty):
                (folder / "scenario.json").write_text(json.dumps(one))
                assert made.run("import", "scenario.json").returncode == 0
            for name in ("checkout", "hasty"):
                assert made.run("secrets", name, given=f"{PASSWORD}\n").returncode == 0
            yield made


def test_a_run_passes_and_its_result_is_json_and_junit(product: Product, site: Site) -> None:
    site.pages = shop_pages()
    (result,) = product.runs("checkout", "street=Main Street 1", "--junit", "out.xml", "--screenshots", "steps")
    assert (result["status"], len(result["steps"])) == ("passed", 9)
    suite = ElementTree.parse(product.folder / "out.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("9", "0")
    pictures = sorted(path.name for path in product.folder.glob("checkout-*"))
    assert 1 <= len(pictures) < 9  # none while the secret can be seen


def test_changed_element_is_healed_and_written_back(product: Product, site: Site) -> None:
    site.pages = shop_pages("a label reworded")
    (first,) = product.runs("checkout", "street=Main Street 1", "--heal")
    assert first["healed"] == ["checkout, step 7: textbox 'Street and number'"]
    (second,) = product.runs("checkout", "street=Main Street 1")
    assert "used" in first["steps"][6]
    assert "used" not in second["steps"][6]


async def test_a_client_follows_the_progress_of_a_run(product: Product, site: Site) -> None:
    site.pages = shop_pages("a label reworded")
    reports: list[tuple[float, float | None, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    async with mcp_client(product.hub, "--toolsets", "scenarios") as client:
        given = {"name": "checkout", "parameters": {"street": "Main Street 1"}, "tabId": product.tab_id}
        result = await client.call_tool("kapturemcp_run_scenario", given, progress_callback=report)
    assert "passed: 9 of 9 steps" in text_of(result)
    (product.folder / "mcp.txt").write_text(text_of(result) + repr(reports))
    # Until the first step it is reported each second that the run goes on, without a total.
    # The client calls back in a task each: reports that it reads together may come in another order.
    assert len({done for done, _, _ in reports}) == len(reports), "each says that more is done"
    steps = [(total, message or "") for _, total, message in sorted(reports) if total is not None]
    assert steps
    assert all(total == 9 and message.startswith("checkout, step ") for total, message in steps)
    numbers = [int(message.removeprefix("checkout, step ").partition(":")[0]) for _, message in steps]
    assert numbers == sorted(numbers)


ROUTED = """<!doctype html><title>Key</title><label>Key <input id=key name=api_key></label>
<button onclick="history.pushState(0, '', '/key?saved')">Save</button><a href="/next">Next</a>"""


async def test_a_route_change_brings_no_screenshot_of_a_secret_that_may_still_be_shown(
    product: Product, site: Site
) -> None:
    site.pages = {"/key": ROUTED, "/next": "<title>Next</title>Next"}
    steps = [
        {"command": "navigate", "arguments": {"url": site.url("/key")}},
        {"command": "fill", "targets": [{"css": "#key"}], "arguments": {"value": "{{key}}"}, "secret": True},
        {"command": "click", "targets": [{"css": "button"}], "screenshot": True},
    ]
    leave = {"command": "click", "targets": [{"css": "a"}], "screenshot": True}
    back = {"command": "go_back", "screenshot": True}
    async with mcp_client(product.hub, "--toolsets", "scenarios") as client:
        for name, chain, pictures in (
            ("routed", steps, 0),
            ("left", [*steps, leave], 1),
            ("back", [*steps, leave, back], 1),
        ):
            (product.folder / "key.json").write_text(
                json.dumps({"version": 1, "name": name, "secrets": ["key"], "chain": chain})
            )
            assert product.run("import", "key.json").returncode == 0
            given = {"name": name, "tabId": product.tab_id, "override_secrets": {"key": PASSWORD}}
            result = await client.call_tool("kapturemcp_run_scenario", given)
            assert "navigated to" in text_of(result)
            assert len(images_of(result)) == pictures


def test_the_secret_stands_in_no_file_no_log_and_no_result(product: Product, site: Site) -> None:
    site.pages = shop_pages("the order button is gone")
    assert product.run("run", "checkout", "street=x", "--screenshots", "steps").returncode == 1
    assert not (product.hub.home / "secrets.key").exists()
    assert (product.folder / "keyring.json").exists()
    files = [path for folder in (product.hub.home, product.folder) for path in folder.rglob("*") if path.is_file()]
    assert {"audit.jsonl", "secrets.fernet", "checkout.json", "said.txt", "out.xml", "mcp.txt"} <= {
        path.name for path in files
    }
    assert [path for path in files if PASSWORD.encode() in path.read_bytes()] == []
