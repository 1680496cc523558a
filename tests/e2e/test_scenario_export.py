"""An exported scenario under real pytest and Playwright."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kapture.backends.chromium.find import find_browser
from kapture.scenarios.dependencies import resolve
from kapture.scenarios.export.export_playwright import playwright_test
from kapture.scenarios.files.decode import decode
from kapture.scenarios.model import Scenario
from tests.support.changing_shop import shop_pages
from tests.support.site import Site, serving

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
