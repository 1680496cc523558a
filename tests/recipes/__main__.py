"""`./dev recipes [--only TEXT]`: every recipe of docs/REACH.md, from an empty home folder, with the commands that the
page gives: headless Chromium on one machine, an agent with the official MCP client on the other. The machines are Linux
namespaces, with real OpenSSH between them: root is needed. In place of Docker, Docker Desktop and WSL is what they are
to Kapture: a mounted folder, a forwarder to the loopback address, a loopback address in common.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import attrs
import click

from tests.support.certificate import make_certificate
from tests.support.machines import ROOT, Machine, cable, machine, ssh_server
from tests.support.redis_server import users

_PAGE = ROOT / "docs" / "REACH.md"
_AGENT = f"{sys.executable} {ROOT}/tests/recipes/agent.py"
_SHOP = "<title>Shop</title><button onclick=\"document.title = 'Saved'\">Save</button>"
_ADDRESSES = {"laptop": "10.77.0.1", "devhost": "10.77.0.2", "desk": "10.77.0.3"}
_LISTED_S = 30


def commands_of(page: str) -> dict[str, list[str]]:
    """The blocks of shell commands of a page, by heading."""
    found: dict[str, list[str]] = {}
    for heading, text in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL):
        found[heading] = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return found


@attrs.frozen
class World:
    """A folder for one recipe, whose machines end with it."""

    folder: Path
    stack: ExitStack

    def machine(self, name: str, network_of: Machine | None = None) -> Machine:
        """Start a machine with an empty home folder."""
        hosts = {**_ADDRESSES, "redis.example": _ADDRESSES["devhost"], "example.com": "127.0.0.1"}
        return self.stack.enter_context(machine(self.folder / name, name, hosts, network_of=network_of))

    def laptop(self) -> Machine:
        """Start the machine with the browser."""
        laptop = self.machine("laptop")
        self.browser(laptop)
        return laptop

    def browser(self, where: Machine, *options: str) -> None:
        """Start a browser there, which shows a page of example.com."""
        site = self.folder / f"site of {where.name}"
        site.mkdir()
        (site / "index.html").write_text(_SHOP)
        self.background(where, f"exec {sys.executable} -u -m http.server 80 -d '{site}' 2>&1", until="Serving")
        self.background(where, f"exec kapture launch --headless {' '.join(options)} http://example.com/", until="Press")

    def background(self, where: Machine, command: str, until: str | None = "") -> None:
        """Run a command there until the recipe ends; return when it has printed this, or, if None, at once."""
        self.stack.enter_context(where.running(command, until))

    def cable(self, first: Machine, second: Machine) -> None:
        """Connect two machines."""
        self.stack.enter_context(cable(first, second, (_ADDRESSES[first.name], _ADDRESSES[second.name])))

    def reachable(self, server: Machine, client: Machine) -> None:
        """Connect two machines, one of which runs an SSH server."""
        self.cable(server, client)
        self.stack.enter_context(ssh_server(self.folder / "ssh", server, _ADDRESSES[server.name], client))


def check(printed: str, tabs: int = 1, *, clicks: bool = True, evaluates: bool = False) -> None:
    """Whether the agent could do in these many tabs what the recipe lets it do, and no more."""
    found = json.loads(printed)
    assert len(found) == tabs, found
    for tab in found:
        assert 'button "Save"' in tab["snapshot"], found
        assert ("Saved" if clicks else "POLICY_DENIED") in tab["click"], found
        assert ("Saved" if evaluates else "POLICY_DENIED") in tab["evaluate"], found


def share_by_ssh(world: World, blocks: Sequence[str]) -> None:
    """The agent's machine is reached by SSH."""
    laptop, devhost = world.laptop(), world.machine("devhost")
    world.reachable(devhost, laptop)
    world.background(laptop, f"exec {blocks[0]}")
    check(devhost.run(_AGENT))


def connect_by_ssh(world: World, blocks: Sequence[str]) -> None:
    """The browser's machine is reached by SSH."""
    laptop, devhost = world.laptop(), world.machine("devhost")
    world.reachable(laptop, devhost)
    world.background(devhost, f"exec {blocks[1]}")
    check(devhost.run(_AGENT))


def _container(world: World, block: str, options: str = "") -> None:
    laptop = world.laptop()
    share, run = block.splitlines()
    stand_in = world.folder / "laptop" / "bin" / "docker"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT}/tests/recipes/docker.py {options} "$@"\n')
    stand_in.chmod(0o755)
    world.background(laptop, f"exec {share}")
    check(laptop.run(f"{run} {_AGENT}"), clicks=False)


def container(world: World, blocks: Sequence[str]) -> None:
    """A container mounts a folder with a socket."""
    _container(world, blocks[0])


def docker_desktop(world: World, blocks: Sequence[str]) -> None:
    """A container reaches its host's loopback address by a name."""
    _container(world, blocks[1], "--desktop")


def wsl(world: World, blocks: Sequence[str]) -> None:
    """A machine has the loopback address of the one with the browser."""
    laptop = world.laptop()
    inside = world.machine("wsl", network_of=laptop)
    world.background(laptop, f"exec {blocks[0]}")
    seen = "/mnt/c/Users/ann/AppData/Local/kapture"
    inside.run(f"mount -t tmpfs tmpfs /mnt && mkdir -p {seen}")
    inside.run(f"mount --bind {laptop.home}/.local/share/kapture {seen}")
    inside.run(blocks[1])
    check(inside.run(_AGENT))


def group(world: World, blocks: Sequence[str]) -> None:
    """Two machines with browsers and one with an agent, which runs the server, too."""
    names = ("laptop", "desk", "devhost")
    laptop, desk, devhost = machines = [world.machine(name) for name in names]
    for other in (laptop, desk):
        world.cable(devhost, other)
    certificate = make_certificate(world.folder, "redis.example")
    (world.folder / "users.acl").write_text(users("s3cr3t-of-redis"))
    tls = f"--tls-cert-file {certificate.file} --tls-key-file {world.folder}/key.pem --tls-auth-clients no"
    at = f"--bind {_ADDRESSES['devhost']} --port 0 --tls-port 6379 --save '' --aclfile {world.folder}/users.acl"
    world.background(devhost, f"exec redis-server {at} {tls}", until="Ready to accept")
    laptop.run(blocks[0].partition("\n")[2])  # the first line installs Kapture
    for one in machines:
        key, password = one.home / "team.key", one.home / "redis.password"
        if one is not laptop:
            shutil.copy(laptop.home / "team.key", key)
        password.touch(0o600)
        password.write_text("s3cr3t-of-redis\n")
        world.background(one, f"SSL_CERT_FILE={certificate.file} exec {blocks[1]}", until=None)
        one.run("timeout 30 sh -c 'until kapture status >/dev/null 2>&1; do sleep 0.1; done'")
    for one in (laptop, desk):
        world.browser(one, "--group")
    until = time.monotonic() + _LISTED_S
    while not all(name in devhost.run("kapture call list_tabs") for name in names[:2]):
        assert time.monotonic() < until, "the other machines' tabs are not listed"
    check(devhost.run(_AGENT), tabs=2, evaluates=True)


RECIPES: dict[str, tuple[str, Callable[[World, Sequence[str]], None]]] = {
    "kapture share ssh": ("Another machine, by SSH", share_by_ssh),
    "kapture connect ssh": ("Another machine, by SSH", connect_by_ssh),
    "container": ("A container", container),
    "Docker Desktop": ("A container", docker_desktop),
    "WSL, mirrored": ("WSL", wsl),
    "group of three": ("Several machines: a group", group),
}


@contextmanager
def world() -> Iterator[World]:
    """A world that ends with the block."""
    with ExitStack() as stack:
        yield World(Path(stack.enter_context(tempfile.TemporaryDirectory())), stack)


@click.command()
@click.option("--only", default="", help="Only recipes whose name contains this.")
def main(only: str) -> None:
    """Run the recipes of docs/REACH.md. Ends with 1 if one fails."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None:
        raise click.ClickException("The recipes were not run: their machines are Linux namespaces, which need root.")
    blocks, failed = commands_of(_PAGE.read_text()), 0
    for name, (heading, run) in RECIPES.items():
        if only not in name:
            continue
        began, problem = time.perf_counter(), ""
        try:
            with world() as one:
                run(one, blocks[heading])
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            failed, problem = failed + 1, f": {error}"
        click.echo(f"{'FAILED' if problem else 'passed'} {name} ({time.perf_counter() - began:.0f} s){problem}")
    sys.exit(min(failed, 1))


if __name__ == "__main__":
    main()
