"""An exported scenario under real pytest and Playwright."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kapture.backends.chromium.find import find_browser
from kapture.scenarios.dependencies import resolve
from kapture.scenarios.export.export_playwright import playwright_test
from kapture.scenarios.files.decode import decode
from kapture.scenarios.model import Scenario
from tests.support.changing_shop import shop_pages
from tests.support.settling import slow
from tests.support.site import Site, serving
from tests.unit.scenarios.export.exported import playwright, scenario

pytestmark = pytest.mark.e2e

PASSWORD = "correct-horse-battery"
SCENARIOS = Path(__file__).parents[1] / "unit" / "scenarios" / "export" / "exports"

INSTALLED_BROWSER = """
import os
from playwright.sync_api import BrowserType

launch = BrowserType.launch
BrowserType.launch = lambda self, **options: launch(self, executable_path=os.environ["TEST_BROWSER"], **options)
"""


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(shop_pages()) as served:
        yield served


def run(folder: Path, site: Site, *, password_timeout: int | None = None) -> subprocess.CompletedProcess[str]:
    """Export the stored example and run it. `password_timeout`: milliseconds, of the step that types it."""

    def load(name: str) -> Scenario:
        content = (SCENARIOS / f"{name}.json").read_text("utf-8")
        if password_timeout is not None:
            content = content.replace('"secret": true', f'"secret": true, "timeout": {password_timeout}')
        return decode(content)

    root = decode((SCENARIOS / "checkout.json").read_text("utf-8"))
    return run_file(folder, site, playwright_test(root, resolve(root, load), {}))


def run_file(folder: Path, site: Site, exported: str) -> subprocess.CompletedProcess[str]:
    """Run an exported file."""
    (folder / "conftest.py").write_text(INSTALLED_BROWSER)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_checkout.py").write_text(exported, "utf-8")
    environment = {
        **os.environ,
        "TEST_BROWSER": str(find_browser()),
        "KAPTURE_PARAMETER_host": site.url().rstrip("/"),
        "KAPTURE_PARAMETER_street": "Main Street 1",
        "KAPTURE_SECRET_PASSWORD": PASSWORD,
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--showlocals", "-vv", "test_checkout.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_exported_scenario_passes_under_pytest_and_playwright(tmp_path: Path, site: Site) -> None:
    done = run(tmp_path, site)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_an_exported_step_that_types_a_secret_fails_without_showing_it(tmp_path: Path, site: Site) -> None:
    site.pages["/sign-in"] = str(site.pages["/sign-in"]).replace('type="password"', 'type="password" disabled')
    done = run(tmp_path, site, password_timeout=1_500)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "sign_in, step 3 failed" in done.stdout
    assert PASSWORD not in done.stdout + done.stderr


ITEMS = """<!doctype html><title>Items</title><button id="add">Add</button><p id="cart">Empty</p>
<button id="pay">Pay</button><button id="leave">Leave</button><p id="state">Open</p>
<script>add.onclick = async () => {
  await fetch("/add");
  await fetch("/prices");
  cart.textContent = "Two lamps";
}
pay.onclick = leave.onclick = event => { state.textContent += `, ${event.target.id}`; }</script>"""


@pytest.mark.long
def test_what_an_action_leads_to_is_captured_and_decides_what_runs_next(tmp_path: Path, site: Site) -> None:
    site.pages |= {"/items": ITEMS, "/add": slow("", 0.5), "/prices": slow("", 0.5)}
    cart = scenario(
        {"command": "navigate", "arguments": {"url": site.url("/items")}},
        {"command": "click", "targets": [{"css": "#add"}]},
        {"command": "get_text", "targets": [{"css": "#cart"}], "capture": {"text": "content"}},
        name="cart",
    )
    pay = scenario({"command": "click", "targets": [{"css": "#pay"}]}, name="pay")
    leave = scenario({"command": "click", "targets": [{"css": "#leave"}]}, name="leave")
    compare = scenario({"command": "click", "targets": [{"css": "#leave"}]}, name="compare")

    def only_if(expression: str) -> dict[str, Any]:
        return {"check": "expression", "expression": expression, "skip_if": False}

    root = scenario(
        {"check": {"kind": "text", "expected": "{{cart.text}}"}, "targets": [{"css": "#cart"}]},
        {"check": {"kind": "count", "expected": 1}, "targets": [{"text": "Open, pay", "exact": True}]},
        dependencies=[
            {"scenario": "cart", "capture_output": "cart"},
            {"scenario": "pay", "condition": only_if("cart.text == 'Two lamps' and not cart.other")},
            {"scenario": "leave", "condition": only_if("cart.text in ['Empty'] or cart.other")},
            {"scenario": "compare", "optional": True, "condition": only_if("cart.text > 3")},
        ],
    )
    done = run_file(tmp_path, site, playwright(root, cart, pay, leave, compare))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compare is optional and failed" in done.stdout
