"""`./dev release --check`: proves, from the files of a release alone, that they install and work.

Everything runs with an empty home folder; of this environment only the variables are kept that say where packages come
from. What takes seconds runs in `tests/e2e/test_release.py` too, without a registry.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import trio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

from kapture.__about__ import __version__
from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.package_files import commit
from kapture.wire.messages import PROTOCOL_VERSION
from release.build import EXTENSION, MCPB, SUMS, WHEEL, build

_KEPT = ("PIP_", "UV_", "SSL_", "REQUESTS_", "HTTP_", "HTTPS_", "NO_PROXY")
_PAIRED_S = 60
_ANSWERED_S = 120


@attrs.frozen
class Installed:
    """A release that is installed: how `kapture` and `kapture-mcp` are started."""

    kapture: Sequence[str]
    mcp: Sequence[str]
    environment: Mapping[str, str]

    def run(self, *arguments: str) -> str:
        """Run `kapture`, which must succeed; what it prints."""
        return _run([*self.kapture, *arguments], self.environment)

    def has_this_version(self) -> None:
        """Check what `kapture --version` says."""
        wanted = f"kapture {__version__} (commit {commit()[:12]}, wire version {PROTOCOL_VERSION})\n"
        if (found := self.run("--version")) != wanted:
            raise SystemExit(f"`kapture --version` says {found!r}, not {wanted!r}.")

    async def answers_a_client(self) -> None:
        """Have the official MCP client start the server and ask for the tabs."""
        await answers_a_client(self.mcp, self.environment)

    def stop(self) -> None:
        """End the hub."""
        _run([*self.kapture, "stop"], self.environment)


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a new user, whose home is this folder."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name.startswith(_KEPT)}
    # /bin is where a system's own programs are; this environment's uv and pipx are named by their paths.
    return {
        **kept,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "KAPTURE_PORT": "0",
        **more,
    }


async def answers_a_client(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Have the official MCP client start this server, list its tools, and ask it for the tabs."""
    server = StdioServerParameters(command=command[0], args=[*command[1:]], env={**environment})
    with trio.fail_after(_ANSWERED_S):
        async with Client(stdio_client(server)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            result = await client.call_tool("kapturemcp_list_tabs", {})
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    if "kapturemcp_click" not in names or result.is_error or "No tab is connected" not in text:
        raise SystemExit(f"{command} answered list_tabs with {text!r}, and has the tools {sorted(names)}.")


async def extension_pairs(installed: Installed, zipped: Path, folder: Path) -> None:
    """Load the extension's zip into a browser, and wait until its hub knows it. `installed` has an empty home."""
    extension = (folder / "extension").resolve()
    unzip(zipped, extension)
    if "key" in json.loads((extension / "manifest.json").read_text("utf-8")):
        raise SystemExit(f"{zipped.name} has a key, which the store refuses.")
    own_id = {"KAPTURE_EXTENSION_ID": unpacked_id(extension)}
    installed = attrs.evolve(installed, environment={**installed.environment, **own_id})
    profile = Path(installed.environment["HOME"]) / ".config" / "chromium"
    profile.mkdir(parents=True)
    (profile / "Local State").write_text("{}")  # as a browser that has run
    installed.run("install-host")
    installed.run("call", "status")  # starts the hub
    async with running(Launch(profile=profile, extension=extension, headless=True)):
        with trio.fail_after(_PAIRED_S):
            rows: list[Any] = []
            while not rows:
                rows = await trio.to_thread.run_sync(_browsers, installed)
                await trio.sleep(0.3)
    if [row["extension"] for row in rows] != [__version__]:
        raise SystemExit(f"The hub knows the extensions {rows}.")


def _browsers(installed: Installed) -> list[Any]:
    status = json.loads(installed.run("call", "status", "--json"))
    return [row for row in status["status"]["browsers"] if row["extension"]]


def unpacked_id(folder: Path) -> str:
    """Return the id that Chromium gives an unpacked extension without a key: a hash of its path."""
    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(str(folder).encode()).hexdigest()[:32])


def unzip(archive: Path, folder: Path) -> Path:
    """Unpack an archive into a new folder."""
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    return folder


def unpacked_wheel(dist: Path, folder: Path) -> Installed:
    """Install the wheel without its dependencies, which this environment has."""
    code = unzip(dist / WHEEL, folder / "site")
    environment = clean_environment(folder / "home", PYTHONPATH=str(code))
    start = "import kapture.__main__ as main; assert main.__file__.startswith({!r}); main.{}()"
    python = [sys.executable, "-P", "-c"]
    return Installed(
        kapture=[*python, start.format(str(code), "main")],
        mcp=[*python, start.format(str(code), "mcp")],
        environment=environment,
    )


# The whole proof


def check(dist: Path) -> None:
    """Prove everything; the first failure ends it."""
    with tempfile.TemporaryDirectory(prefix="kapture-release-") as name:
        folder = Path(name)
        for prove in (_sums, _same_bytes, _pip, _pipx, _uv_tool, _uvx, _extension, _bundle, _docker):
            started = time.monotonic()
            prove(dist, folder / prove.__name__)
            print(f"{time.monotonic() - started:6.1f} s  {(prove.__doc__ or '').splitlines()[0]}", flush=True)


def _sums(dist: Path, folder: Path) -> None:
    """SHA256SUMS names every file."""
    lines = (dist / SUMS).read_text("utf-8").splitlines()
    found = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in sorted(dist.iterdir())]
    if lines != [line for line in found if not line.endswith(SUMS)]:
        raise SystemExit(f"{SUMS} is wrong.")


def _same_bytes(dist: Path, folder: Path) -> None:
    """Two builds are byte-identical."""
    build(folder / "dist")
    if (folder / "dist" / SUMS).read_text("utf-8") != (dist / SUMS).read_text("utf-8"):
        raise SystemExit(f"A second build has other bytes: {folder}.")


def _pip(dist: Path, folder: Path) -> None:
    """`pip install` of the wheel in a virtual environment, without a compiler."""
    environment = clean_environment(folder / "home")
    _run([sys.executable, "-m", "venv", str(folder / "venv")], environment)
    binaries = folder / "venv" / "bin"
    _run([str(binaries / "pip"), "install", "--quiet", "--only-binary=:all:", str(dist / WHEEL)], environment)
    _proven(Installed([str(binaries / "kapture")], [str(binaries / "kapture-mcp")], environment))


def _pipx(dist: Path, folder: Path) -> None:
    """`pipx install` of the wheel."""
    environment = clean_environment(folder / "home")
    _run([sys.executable, "-m", "pipx", "install", "--quiet", str(dist / WHEEL)], environment)
    binaries = folder / "home" / ".local" / "bin"
    _proven(Installed([str(binaries / "kapture")], [str(binaries / "kapture-mcp")], environment))


def _uv_tool(dist: Path, folder: Path) -> None:
    """`uv tool install` of the wheel."""
    environment = clean_environment(folder / "home")
    _run([_beside("uv"), "tool", "install", "--quiet", str(dist / WHEEL)], environment)
    binaries = folder / "home" / ".local" / "bin"
    _proven(Installed([str(binaries / "kapture")], [str(binaries / "kapture-mcp")], environment))


def _uvx(dist: Path, folder: Path) -> None:
    """`uvx --from …whl kapture-mcp` answered by the official client."""
    line = [_beside("uvx"), "--quiet", "--from", str(dist / WHEEL)]
    _proven(Installed([*line, "kapture"], [*line, "kapture-mcp"], clean_environment(folder / "home")))


def _extension(dist: Path, folder: Path) -> None:
    """The extension's zip, loaded unpacked, pairs with a hub from the wheel."""
    environment = clean_environment(folder / "home")
    line = [_beside("uvx"), "--quiet", "--from", str(dist / WHEEL)]
    installed = Installed([*line, "kapture"], [*line, "kapture-mcp"], environment)
    try:
        trio.run(extension_pairs, installed, dist / EXTENSION, folder)
    finally:
        installed.stop()


def _bundle(dist: Path, folder: Path) -> None:
    """The MCP bundle, started as its manifest says, answers the official client."""
    unpacked = unzip(dist / MCPB, folder / "bundle")
    config = json.loads((unpacked / "manifest.json").read_text("utf-8"))["server"]["mcp_config"]
    line = [word.replace("${__dirname}", str(unpacked)) for word in (config["command"], *config["args"])]
    line[0] = _beside(line[0])
    environment = clean_environment(folder / "home")
    trio.run(answers_a_client, line, environment)
    kapture = [line[0], "run", "--quiet", "--directory", str(unpacked), "kapture"]
    Installed(kapture, line, environment).stop()


def _docker(dist: Path, folder: Path) -> None:
    """The Dockerfile's steps in a Debian root; `kapture launch` runs there and is healthy."""
    from release.debian_root import run_dockerfile

    run_dockerfile(dist, folder)


def _proven(installed: Installed) -> None:
    installed.has_this_version()
    try:
        trio.run(installed.answers_a_client)
    finally:
        installed.stop()


def _beside(program: str) -> str:
    found = shutil.which(program, path=str(Path(sys.executable).parent)) or shutil.which(program)
    if found is None:
        raise SystemExit(f"{program} is needed: `pip install '.[release]'`.")
    return found


def _run(command: Sequence[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(command, env=environment, cwd=environment["HOME"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout
