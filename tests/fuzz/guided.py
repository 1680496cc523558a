"""`./dev fuzz-guided`: inputs that are chosen by the code that they reach (atheris, libFuzzer), for the same readers.

Each target runs in a process of its own, because libFuzzer ends the process. Exit code 1 if one crashes or hangs.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

_LARGEST_BYTES = 20_000
_LONGEST_S = 10
_MEMORY_MB = 2_000
_DONE = re.compile(r"Done (\d+) runs")
_RSS = re.compile(r"rss: (\d+)Mb")


@click.command()
@click.option("--seconds", default=60, show_default=True, help="For each target.")
@click.option("--only", default="", help="Only targets whose name contains this.")
@click.option("--one", hidden=True, help="Run this target here.")
def main(seconds: int, only: str, one: str | None) -> None:
    """Search each target for crashes, hangs and unbounded memory."""
    if one is not None:
        _run(one, seconds)
        return
    from tests.fuzz.targets import TARGETS

    table = Table(title=f"Inputs guided by coverage, {seconds} s each")
    for name in ("target", "inputs", "crashes", "memory MB"):
        table.add_column(name, justify="left" if name == "target" else "right")
    total, failed = 0, False
    for target in (target for target in TARGETS if only in target.name):
        command = [sys.executable, "-m", "tests.fuzz.guided", "--seconds", str(seconds), "--one", target.name]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        count = sum(int(found) for found in _DONE.findall(done.stderr))
        memory = max((int(found) for found in _RSS.findall(done.stderr)), default=0)
        if done.returncode != 0:
            failed = True
            print(f"{target.name}:\n{(done.stdout + done.stderr)[-4_000:]}", file=sys.stderr)
        total += count
        table.add_row(target.name, f"{count:,}", str(int(done.returncode != 0)), str(memory))
    table.caption = f"{total:,} inputs in all"
    Console().print(table)
    raise SystemExit(1 if failed else 0)


def _run(name: str, seconds: int) -> None:
    """Fuzz one target until the time is over; never returns."""
    atheris: Any = importlib.import_module("atheris")  # `./dev fuzz-guided` installs it

    with atheris.instrument_imports(include=["kapture"]):
        from tests.fuzz.targets import TARGETS

    target = next(target for target in TARGETS if target.name == name)

    def read(data: bytes) -> None:
        target.try_one(data if target.binary else data.decode("utf-8", "replace"))

    folder = Path(tempfile.mkdtemp(prefix="kapture-fuzz-"))
    for number, example in enumerate(target.examples):
        (folder / str(number)).write_text(example, "utf-8")
    limits = (f"-max_len={_LARGEST_BYTES}", f"-timeout={_LONGEST_S}", f"-rss_limit_mb={_MEMORY_MB}")
    atheris.Setup(
        [sys.argv[0], *limits, f"-max_total_time={seconds}", f"-artifact_prefix={folder}/", str(folder)], read
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
