"""`kapture group`: the key of a group of machines that share tabs."""

from __future__ import annotations

from pathlib import Path

import click

from kapture.errors import KaptureError


@click.group("group")
def group_command() -> None:
    """Share tabs among machines, through a Redis or Valkey server of yours.

    Make a key with `kapture group new`, copy the file to each machine, and start their hubs with `kapture serve
    --join`.
    """


@group_command.command("new")
@click.argument("name")
@click.option("--file", "path", type=click.Path(path_type=Path), help="Where to write the key. Default: NAME.key.")
def new_command(name: str, path: Path | None) -> None:
    """Make the key of a new group NAME. Who has it is a full member: copy it to the group's machines alone."""
    from kapture.group.key import new_key

    path = path or Path(f"{name}.key")
    try:
        new_key(name, path)
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    click.echo(
        f"{path} has the key of the group {name}. Copy it to each machine, readable by you alone, and run there:\n\n"
        f"    kapture serve --join rediss://USER@HOST:6379/0 --group-key-file {path} --group-password-file FILE"
    )
