"""Builds everything that is published into `dist/`: the same bytes each time from the same commit."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from kapture.__about__ import DISTRIBUTION, __version__
from release import manifests, sbom
from release.manifests import NAME, PLUGIN, ROOT

WHEEL_MAX_BYTES = 3_000_000
SDIST = f"{DISTRIBUTION.replace('-', '_')}-{__version__}.tar.gz"
WHEEL = f"{DISTRIBUTION.replace('-', '_')}-{__version__}-py3-none-any.whl"
EXTENSION = f"{NAME}-extension-{__version__}.zip"
MCPB = f"{NAME}-{__version__}.mcpb"
PLUGINS = f"{NAME}-plugins-{__version__}.zip"
SBOM = f"{NAME}-{__version__}.cdx.json"
SUMS = "SHA256SUMS"


def build(out: Path) -> None:
    """Build into this folder, which is emptied first."""
    epoch = source_date_epoch()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    _python(out, epoch)
    _zip(out / EXTENSION, extension_files(), epoch)
    _zip(out / PLUGINS, plugin_files(), epoch)
    _zip(out / MCPB, _mcpb_files((out / WHEEL).read_bytes()), epoch)
    (out / "server.json").write_text(manifests.committed()["server.json"], "utf-8")
    shutil.copyfile(ROOT / "release" / "Dockerfile", out / "Dockerfile")
    (out / SBOM).write_text(sbom.as_json(datetime.fromtimestamp(epoch, UTC)), "utf-8")
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(out.iterdir())]
    (out / SUMS).write_text("".join(sums), "utf-8")
    size = (out / WHEEL).stat().st_size
    if size >= WHEEL_MAX_BYTES:
        raise SystemExit(f"{WHEEL} has {size:,} bytes; {WHEEL_MAX_BYTES:,} are the most.")


def source_date_epoch() -> int:
    """Return the time that every file of an archive gets: `SOURCE_DATE_EPOCH`, or that of the commit."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    shown = ["git", "-C", str(ROOT), "show", "--no-patch", "--format=%ct", "HEAD"]
    return int(subprocess.run(shown, capture_output=True, text=True, check=True).stdout)


def _python(out: Path, epoch: int) -> None:
    """Build the wheel and the sdist, with the backend of this environment."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel", "--outdir", folder, str(ROOT)],
            env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        for name in (WHEEL, SDIST):
            shutil.move(Path(folder) / name, out / name)


def extension_files() -> dict[str, bytes]:
    """Return the extension as a store takes it: without the key, which the store gives, and without what builds it."""
    found = {}
    for file in sorted((ROOT / "extension").rglob("*")):
        path = file.relative_to(ROOT / "extension").as_posix()
        if file.is_file() and not path.endswith((".md", ".mjs", ".d.ts")):
            found[path] = file.read_bytes()
    manifest = json.loads(found["manifest.json"])
    del manifest["key"]
    found["manifest.json"] = manifests.as_text(manifest).encode()
    return found


def plugin_files() -> dict[str, bytes]:
    """Return the plugin and the files by which each client finds it, laid out as in the repository."""
    own = (PLUGIN, ".claude-plugin", ".cursor-plugin", ".agents", "gemini-extension.json")
    texts = {path: text for path, text in manifests.committed().items() if path.startswith(own)}
    skill = texts[f"{PLUGIN}/skills/kapture/SKILL.md"]
    texts["skills/kapture/SKILL.md"] = skill  # where Gemini CLI looks in an extension
    texts["LICENSE"] = (ROOT / "LICENSE").read_text("utf-8")
    return {path: text.encode() for path, text in texts.items()}


def _mcpb_files(wheel: bytes) -> dict[str, bytes]:
    return {
        "manifest.json": manifests.as_text(manifests.mcpb()).encode(),
        "pyproject.toml": manifests.mcpb_project(WHEEL).encode(),
        "server.py": manifests.MCPB_SERVER.encode(),
        "icon.png": (ROOT / "extension" / "icons" / "kapture-128.png").read_bytes(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        WHEEL: wheel,
    }


def _zip(path: Path, files: Mapping[str, bytes], epoch: int) -> None:
    """Write a zip whose bytes depend on the contents, the names and the epoch only."""
    when = datetime.fromtimestamp(max(epoch, 315_532_800), UTC).timetuple()[:6]  # zip has no time before 1980
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(files.items()):
            about = zipfile.ZipInfo(name, when)
            about.create_system = 3  # Unix
            about.external_attr = 0o100644 << 16
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, content, compresslevel=9)
