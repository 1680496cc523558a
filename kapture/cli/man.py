"""`kapture man`: the manual page in roff, made from the texts of `--help`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from kapture import __version__

_ENVIRONMENT = {
    "KAPTURE_HOME": "The data folder: hub.json, the policy file, the audit log, settings.toml.",
    "KAPTURE_PORT": "The hub's port.",
    "KAPTURE_BROWSER": "The browser that `kapture launch` starts.",
}
_FILES = {
    "~/Kapture/extension": "The extension, for “Load unpacked”.",
    "hub.json": "In the data folder: port and key of the running hub, readable by its owner alone.",
    "policy.toml": "In the data folder: what limits every grant.",
    "settings.toml": "In the data folder: settings of the hub.",
}


@click.command("man")
@click.pass_context
def man_command(ctx: click.Context) -> None:
    """Print the manual page.

    \b
    Read it:    kapture man | man -l -
    Install it: kapture man > ~/.local/share/man/man1/kapture.1
    """
    root = ctx.find_root().command
    assert isinstance(root, click.Group)  # noqa: S101  `kapture` is one
    click.echo("\n".join(page(root)))


def page(root: click.Group) -> Iterator[str]:
    """The lines of the page."""
    yield f'.TH KAPTURE 1 "" "Kapture {__version__}" "User Commands"'
    yield ".SH NAME"
    yield _text(f"kapture - {_first_line(root)}")
    yield ".SH SYNOPSIS"
    yield ".B kapture"
    yield "COMMAND [OPTIONS]"
    yield ".SH COMMANDS"
    yield from _commands(root, "kapture")
    for title, rows in (("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        yield f".SH {title}"
        for term, text in rows.items():
            yield from _entry(term, text)


def _commands(group: click.Group, path: str) -> Iterator[str]:
    ctx = click.Context(group, info_name=path)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is None or command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        else:
            yield from _command(command, f"{path} {name}")


def _command(command: click.Command, path: str) -> Iterator[str]:
    ctx = click.Context(command, info_name=path)
    usage = " ".join(command.collect_usage_pieces(ctx))
    yield ".SS " + _text(f"{path} {usage}".rstrip())
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):  # click's marker for preformatted paragraphs
            yield ".nf"
            yield from map(_text, paragraph.splitlines()[1:])
            yield ".fi"
        else:
            yield _text(" ".join(paragraph.split()))
        yield ".PP"
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None and "--help" not in parameter.opts:
            yield from _entry(*record)


def _entry(term: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield f".B {_text(term)}"
    yield _text(" ".join(text.split()))


def _first_line(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "").partition("\n")[0].rstrip(".")


def _text(text: str) -> str:
    """One line of text, escaped for roff."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    escaped = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in escaped)
    return re.sub(r"^(?=[.'])", r"\\&", escaped)
