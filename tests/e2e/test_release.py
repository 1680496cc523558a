"""A release, built here and used without the checkout: the short part of `./dev release --check`."""

from __future__ import annotations

import json
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from release import build as made
from release.check import Installed, extension_pairs, unpacked_wheel

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release") / "dist"
    made.build(out)
    return out


@pytest.fixture
def installed(dist: Path, tmp_path: Path) -> Iterator[Installed]:
    """The wheel, and a hub of it that ends with the test."""
    found = unpacked_wheel(dist, tmp_path)
    yield found
    found.stop()


def test_second_build_has_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    made.build(tmp_path / "dist")
    assert (tmp_path / "dist" / made.SUMS).read_text() == (dist / made.SUMS).read_text()
    assert len((dist / made.SUMS).read_text().splitlines()) == len(list(dist.iterdir())) - 1


def test_archives_hold_what_they_should_and_no_more(dist: Path) -> None:
    wheel, extension = (zipfile.ZipFile(dist / name).namelist() for name in (made.WHEEL, made.EXTENSION))
    with tarfile.open(dist / made.SDIST) as opened:
        sdist = [name.partition("/")[2] for name in opened.getnames()]
    carried = {name.removeprefix("kapture/_data/extension/") for name in wheel if "/_data/extension/" in name}
    assert {*extension} <= carried
    assert "kapture/_data/test_app/index.html" in wheel
    assert {"kapture/__about__.py", "extension/manifest.json", "test_app/index.html", "pyproject.toml"} <= {*sdist}
    strays = [name for name in (*wheel, *sdist, *extension) if name.startswith(("tests", "bench", "node_modules", "."))]
    assert [name for name in strays if name != ".gitignore"] == []
    assert not [name for name in extension if name.endswith((".md", ".mjs", ".d.ts"))]
    bill = json.loads((dist / made.SBOM).read_text())
    assert {"trio", "mcp", "lit", "@modelcontextprotocol/client"} <= {part["name"] for part in bill["components"]}


async def test_wheel_says_what_it_is_and_answers_the_official_client(installed: Installed) -> None:
    installed.has_this_version()
    await installed.answers_a_client()


async def test_extension_from_the_store_zip_pairs_with_a_hub_from_the_wheel(
    installed: Installed, dist: Path, tmp_path: Path
) -> None:
    await extension_pairs(installed, dist / made.EXTENSION, tmp_path)
