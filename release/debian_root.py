"""The steps of the Dockerfile in a Debian root made by mmdebstrap, where no Docker daemon is. Needs root."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

_HEALTHY_S = 120
_CONFIGURATION = (
    "/etc/apt/apt.conf.d",
    "/etc/pip.conf",
    "/etc/ssl/certs",
    "/etc/resolv.conf",
)  # where packages come from


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Return the instructions of a Dockerfile, with continued lines joined."""
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", "")
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        yield word, rest.strip()


def run_dockerfile(dist: Path, folder: Path) -> None:
    """Run every step, then the command, until the health check succeeds."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        raise SystemExit("The Dockerfile's steps need root and mmdebstrap: `apt-get install mmdebstrap`.")
    root = (folder / "root").resolve()
    root.mkdir(parents=True)
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
    }
    environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    user, command, health = "root", [], []
    for word, rest in instructions((dist / "Dockerfile").read_text("utf-8")):
        match word:
            case "FROM":
                suite = rest.removeprefix("debian:").removesuffix("-slim")
                subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", suite, str(root)], check=True)
                _configure(root)
            case "RUN":
                _in(root, ["sh", "-ec", rest], environment, user)
            case "COPY":
                pattern, target = rest.split()
                for file in dist.glob(pattern):
                    shutil.copy(file, root / target.strip("/"))
            case "ENV":
                environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
            case "USER":
                user = rest
            case "CMD":
                command = json.loads(rest)
            case "HEALTHCHECK":
                health = json.loads(rest.partition("CMD ")[2])
            case "VOLUME":
                pass
            case _:
                raise SystemExit(f"What {word} does is not known here.")
    if user == "root":
        raise SystemExit("The image runs as root.")
    environment["HOME"] = f"/home/{user}"
    for name in ("proc", "dev"):
        subprocess.run(["mount", "--rbind", f"/{name}", str(root / name)], check=True)
    served = subprocess.Popen(_line(root, command, user), env=environment)
    try:
        until = time.monotonic() + _HEALTHY_S
        while subprocess.run(_line(root, health, user), env=environment, stdout=subprocess.DEVNULL).returncode:
            if time.monotonic() > until or served.poll() is not None:
                raise SystemExit(f"`{shlex.join(command)}` did not become healthy (it ended with {served.poll()}).")
            time.sleep(1)  # there is no event for the health of another program
        tabs = subprocess.run(
            _line(root, ["kapture", "call", "list_tabs", "--json"], user),
            env=environment,
            capture_output=True,
            check=True,
        )
        if len(json.loads(tabs.stdout)["tabs"]) != 1:
            raise SystemExit(f"The tabs of the launched browser are {tabs.stdout!r}.")
    finally:
        served.terminate()
        served.wait()
        subprocess.run(_line(root, ["kapture", "stop"], user), env=environment, stdout=subprocess.DEVNULL)
        for name in ("proc", "dev"):
            subprocess.run(["umount", "--recursive", "--lazy", str(root / name)], check=True)


def _configure(root: Path) -> None:
    """Copy this machine's configuration of apt, pip, certificates and names."""
    for name in _CONFIGURATION:
        source, target = Path(name), root / name.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copy(source, target)


def _in(root: Path, command: list[str], environment: Mapping[str, str], user: str) -> None:
    done = subprocess.run(_line(root, command, user), env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-3_000:], done.stderr[-3_000:], file=sys.stderr)
        raise SystemExit(f"A step of the Dockerfile failed: {shlex.join(command)}")


def _line(root: Path, command: list[str], user: str) -> list[str]:
    return ["chroot", f"--userspec={user}", str(root), *command]
