"""`docker run [OPTIONS] IMAGE COMMAND…`, as far as docs/REACH.md uses it, without Docker: a container of Linux
namespaces that sees programs of this machine, read-only, a home folder of its own, and what it mounts.

In place of Docker's network it has none; with `--desktop` it has one on which `host.docker.internal` leads to the
loopback address of this machine, by a forwarder, for the port that the mounted `hub.json` names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
import trio

_GATEWAY, _OWN = "192.168.65.254", "192.168.65.3"
_ROOT = Path(__file__).parents[2]
_SEEN = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev", sys.base_prefix, str(_ROOT))
_BEGIN = """
set -e
mount -t tmpfs tmpfs {root}
for each in {seen}; do
    mkdir -p {root}$each && mount --rbind $each {root}$each && mount -o remount,bind,ro {root}$each
done
{mounts}
mkdir -p {root}/proc {root}/tmp {root}/home/agent
mount -t proc proc {root}/proc
chmod 1777 {root}/tmp
chown {user} {root}/home/agent
mount --bind {hosts} {root}/etc/hosts
ip link set lo up
echo begun
exec cat
"""
_NETWORK = f"""
ip link add docker0 type veth peer name eth0 netns {{container}}
ip addr add {_GATEWAY}/24 dev docker0
ip link set docker0 up
nsenter --target={{container}} --net ip addr add {_OWN}/24 dev eth0
nsenter --target={{container}} --net ip link set eth0 up
"""


@click.group()
@click.option("--desktop", is_flag=True)
@click.pass_context
def docker(context: click.Context, desktop: bool) -> None:
    context.obj = desktop


@docker.command("run", context_settings={"allow_interspersed_args": False})
@click.option("--user", default="0")
@click.option("-v", "mounts", multiple=True)
@click.option("-e", "variables", multiple=True)
@click.argument("command", nargs=-1)
@click.pass_obj
def run(desktop: bool, user: str, mounts: Sequence[str], variables: Sequence[str], command: Sequence[str]) -> None:
    pairs = [(here, there) for here, _, there in (each.partition(":") for each in mounts)]
    with tempfile.TemporaryDirectory() as folder:
        root, hosts = Path(folder, "root"), Path(folder, "hosts")
        root.mkdir()
        hosts.write_text(f"127.0.0.1 localhost\n{_GATEWAY} host.docker.internal\n")
        bound = "\n".join(f"mkdir -p {root}{there} && mount --bind {here} {root}{there}" for here, there in pairs)
        script = _BEGIN.format(root=root, seen=" ".join(_SEEN), mounts=bound, hosts=hosts, user=user)
        unshared = ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child"]
        holder = subprocess.Popen([*unshared, "sh", "-c", script], stdin=-1, stdout=-1, text=True)
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "begun\n"
            first = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().strip()
            words = ["nsenter", f"--target={first}", "--mount", "--net", "--uts", "--ipc", "--pid"]
            words += ["chroot", f"--userspec={user}:{user}", str(root)]
            words += ["env", "-i", "HOME=/home/agent", f"PATH={os.environ['PATH']}", *variables]
            words += ["sh", "-c", 'cd && exec "$@"', *command]  # the image is the shell's name
            if desktop:
                subprocess.run(["sh", "-e", "-c", _NETWORK.format(container=first)], check=True)
                trio.run(_beside_forwarder, [Path(here) for here, _ in pairs], words)
            else:
                subprocess.run(words, check=True)
        finally:
            holder.kill()
            holder.communicate()


async def _beside_forwarder(mounts: Sequence[Path], words: list[str]) -> None:
    async def forward(stream: trio.SocketStream) -> None:
        port = stream.socket.getsockname()[1]
        async with stream, await trio.open_tcp_stream("127.0.0.1", port) as target, trio.open_nursery() as nursery:
            nursery.start_soon(_pump, stream, target)
            await _pump(target, stream)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for mount in mounts:
            port = json.loads((mount / "hub.json").read_text())["port"]
            await nursery.start(partial(trio.serve_tcp, forward, port, host=_GATEWAY))
        await trio.run_process(words)
        nursery.cancel_scope.cancel()


async def _pump(source: trio.SocketStream, sink: trio.SocketStream) -> None:
    async for data in source:
        await sink.send_all(data)


docker()
