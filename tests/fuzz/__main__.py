"""`./dev fuzz [--inputs N]`: many inputs for everything that reads what somebody else wrote."""

from __future__ import annotations

import logging
import random
import resource
import tempfile
import time
import traceback
from pathlib import Path

import attrs
import click
import trio
from rich.console import Console
from rich.table import Table

from tests.fuzz.growing import READERS, slow
from tests.fuzz.growing_calls import slow_answers, slow_parameters
from tests.fuzz.targets import TARGETS, Target

_LONGEST_S = 5.0
_GROWN = 1_000_000  # characters of a growing input


@attrs.define
class Outcome:
    """Of one target."""

    taken: int = 0
    refused: int = 0
    crashes: int = 0
    slowest_s: float = 0.0


@click.command()
@click.option("--inputs", default=1_000_000, show_default=True, type=click.IntRange(min=1), help="Of all targets.")
@click.option("--seed", default=0, show_default=True, help="Other seeds make other inputs.")
@click.option("--only", default="", help="Only targets whose name contains this.")
@click.option("--seconds", default=0.0, help="Stop after this time; 0: when all inputs are done.")
def main(inputs: int, seed: int, only: str, seconds: float) -> None:
    """Give each target inputs that are almost right, and then inputs that grow.

    Ends with 1 if one crashes or takes longer than 5 s, or if a growing one takes more than linear time or holds the
    hub's loop for more than 1 s.
    """
    targets = [target for target in TARGETS if only in target.name]
    if not targets:
        raise click.BadParameter(f"No target's name contains {only!r}.", param_hint="--only")
    logging.disable()  # what ends one tab only is logged as an error
    table = Table(title=f"{inputs:,} inputs, seed {seed}")
    for name in ("target", "inputs", "taken", "refused", "crashes", "slowest ms"):
        table.add_column(name, justify="left" if name == "target" else "right")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    failed = False
    total = 0
    for target in targets:
        outcome = _fuzz(target, inputs // len(targets), seed, seconds / len(targets))
        count = outcome.taken + outcome.refused + outcome.crashes
        total += count
        failed |= outcome.crashes > 0 or outcome.slowest_s > _LONGEST_S
        table.add_row(
            target.name,
            f"{count:,}",
            f"{outcome.taken:,}",
            f"{outcome.refused:,}",
            str(outcome.crashes),
            f"{outcome.slowest_s * 1_000:.0f}",
        )
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1_000
    table.caption = f"{total:,} inputs in all; memory grew by {grown:.0f} MB at most"
    Console().print(table)
    with tempfile.TemporaryDirectory() as folder:
        held = [f"{name}: {text[:40]!r}" for name, read in READERS.items() for text, _ in slow(read)]
        for number, grow in enumerate((slow_parameters, slow_answers)):
            held += map(str, trio.run(grow, Path(folder, str(number)), _GROWN).items())
    print("\n".join([f"{len(held)} growing inputs take more than linear time, or hold the loop", *held]))
    raise SystemExit(1 if failed or held else 0)


def _fuzz(target: Target, count: int, seed: int, seconds: float) -> Outcome:
    outcome = Outcome()
    end = time.perf_counter() + seconds if seconds else float("inf")
    for number in range(count):
        given = target.make(random.Random(f"{seed} {target.name} {number}"))
        began = time.perf_counter()
        if began > end:
            break
        try:
            if target.try_one(given):
                outcome.taken += 1
            else:
                outcome.refused += 1
        except Exception:  # noqa: BLE001  each is a defect to be shown, and the others are looked for all the same
            outcome.crashes += 1
            if outcome.crashes <= 3:
                print(f"{target.name}, seed {seed}, input {number}: {given[:500]!r}")
                traceback.print_exc()
        outcome.slowest_s = max(outcome.slowest_s, time.perf_counter() - began)
    return outcome


if __name__ == "__main__":
    main()
