"""`kapture scenario`: manages the scenarios of the data folder, without a hub; `run` runs them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kapture.cli.scenario.export import export_command
from kapture.cli.scenario.names import scenario_argument, scenario_errors
from kapture.cli.scenario.run import run_command
from kapture.cli.terminal import print_json, print_text
from kapture.data_folder import data_folder
from kapture.errors import KaptureError

if TYPE_CHECKING:
    from kapture.scenarios.model import Scenario


@click.group("scenario")
def scenario_command() -> None:
    """Run recorded flows, and manage their files."""


scenario_command.add_command(run_command)
scenario_command.add_command(export_command)


@scenario_command.command("list")
@click.option("--tag", "tags", multiple=True, help="Only those with this tag; may be given again.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_command(tags: tuple[str, ...], as_json: bool) -> None:
    """List the scenarios."""
    _show_found("", tags, as_json=as_json)


@scenario_command.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--tag", "tags", multiple=True, help="Only those with this tag; may be given again.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def search_command(words: tuple[str, ...], tags: tuple[str, ...], as_json: bool) -> None:
    """Search names, descriptions, tags and steps."""
    _show_found(" ".join(words), tags, as_json=as_json)


def _show_found(text: str, tags: tuple[str, ...], *, as_json: bool) -> None:
    import trio

    from kapture.commands.core.run import as_json as fields_of
    from kapture.scenarios.library import Library

    with scenario_errors():
        found = trio.run(Library(data_folder()).search, text, tags)
    if as_json:
        print_json(json.dumps(fields_of(found), ensure_ascii=False, indent=2))
    else:
        print_text(found.text())


@scenario_command.command("show")
@scenario_argument
def show_command(name: str) -> None:
    """Print a scenario's file."""
    from kapture.scenarios.files.decode import encode
    from kapture.scenarios.files.storage import ScenarioFolder

    with scenario_errors():
        print_json(encode(ScenarioFolder(data_folder()).load(name)).decode().rstrip())


@scenario_command.command("import")
@click.argument("files", nargs=-1, required=True, type=click.File("rb"))
@click.option("--replace", is_flag=True, help="Replace scenarios of the same name.")
def import_command(files: tuple[Any, ...], replace: bool) -> None:
    """Check scenario files and keep them.

    - is stdin. The secrets of a scenario that is replaced are forgotten.
    """
    from kapture.scenarios.files.decode import decode
    from kapture.scenarios.files.keeping import keep
    from kapture.scenarios.files.storage import ScenarioFolder
    from kapture.scenarios.secrets.secret_store import SecretStore

    with scenario_errors():
        scenarios = [decode(file.read(), source=str(file.name)) for file in files]  # check all before storing any
        folder, store = ScenarioFolder(data_folder()), SecretStore(data_folder())
        for scenario in scenarios:
            keep(folder, store, scenario, {}, replace=replace)
            print_text(f"Imported {scenario.name}.")


@scenario_command.command("edit")
@scenario_argument
def edit_command(name: str) -> None:
    """Edit a scenario's file in your editor.

    An invalid file is not kept, but can be edited again. Changing the name makes another scenario.
    """
    from kapture.scenarios.files.decode import decode, encode
    from kapture.scenarios.files.keeping import keep, put_back
    from kapture.scenarios.files.storage import ScenarioFolder
    from kapture.scenarios.secrets.secret_store import SecretStore

    with scenario_errors():
        folder = ScenarioFolder(data_folder())
        loaded = folder.load(name)
        before = edited = encode(loaded).decode()
        scenario = None
        while scenario is None:
            saved = click.edit(edited, extension=".json")
            if saved is None or saved == before:
                click.echo("Nothing has changed.")
                return
            edited = saved
            try:
                scenario = decode(edited, source=name)
            except KaptureError as error:
                print_text(str(error), err=True)
                if not _edit_again():
                    raise SystemExit(2) from error
        if scenario.name == name:
            put_back(folder, loaded, scenario)
        else:
            keep(folder, SecretStore(data_folder()), scenario, {}, replace=False)
        print_text(f"Saved {scenario.name}.")


def _edit_again() -> bool:
    try:
        return click.confirm("Edit it again? Otherwise the changes are lost.", default=True, err=True)
    except click.Abort:  # nobody is there to answer
        return False


@scenario_command.command("delete")
@scenario_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete_command(name: str, yes: bool) -> None:
    """Delete a scenario and its secrets."""
    import trio

    from kapture.scenarios.library import Library

    with scenario_errors():
        library = Library(data_folder())
        library.folder.check_known(name)
        if not yes:
            click.confirm(f"Delete the scenario {name} and its secrets?", abort=True)
        trio.run(library.delete, name)
    print_text(f"Deleted {name}.")


@scenario_command.command("secrets")
@scenario_argument
@click.argument("secrets", nargs=-1)
@click.option("--drop", is_flag=True, help="Forget the named secrets, or all of the scenario's.")
@click.option(
    "--origin",
    "urls",
    multiple=True,
    metavar="URL",
    help="Site that they may be typed at; may be given again. Default: those that the scenario names.",
)
def secrets_command(name: str, secrets: tuple[str, ...], drop: bool, urls: tuple[str, ...]) -> None:
    """Enter values of a scenario's secrets.

    Without names it asks for those that are missing. What you type is not shown.

    From a pipe, a line each is read. A run types them into pages of their sites only.
    """
    from kapture.scenarios.files.storage import ScenarioFolder
    from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

    with scenario_errors():
        scenario = ScenarioFolder(data_folder()).load(name)
        store = SecretStore(data_folder())
        if unknown := [secret for secret in secrets if secret not in scenario.secrets]:
            known = ", ".join(scenario.secrets) or "none"
            raise click.UsageError(f"{name} has no secret {unknown[0]!r}. Its secrets: {known}.")
        if drop:
            store.drop(name, *secrets)
            return
        kept = store.names(name)
        wanted = secrets or tuple(secret for secret in scenario.secrets if secret not in kept)
        if not wanted:
            click.echo("Every secret has a value." if scenario.secrets else f"{name} has no secrets.")
            return
        origins = _origins(scenario, urls)
        print_text(f"A run types what you enter at {', '.join(origins)} only.")
        to_terminal = sys.stdin.isatty()
        entered = {
            secret: click.prompt(secret, hide_input=True) if to_terminal else sys.stdin.readline().rstrip("\n")
            for secret in wanted
        }
        store.put(name, {secret: StoredSecret(value, origins) for secret, value in entered.items()})


def _origins(scenario: Scenario, urls: Sequence[str]) -> tuple[str, ...]:
    from kapture.scenarios.secrets.secret_origins import named_origins, origin_of

    if not urls and not (named := named_origins(scenario)):
        raise click.UsageError(
            f"{scenario.name} names no site that its secrets belong to. Name it: --origin https://shop.example."
        )
    if not urls:
        return tuple(named)
    origins = [origin_of(url) for url in urls]
    for url, origin in zip(urls, origins, strict=True):
        if origin is None:
            raise click.UsageError(f"{url!r} is not the address of a site, such as https://shop.example.")
    return tuple(dict.fromkeys(origin for origin in origins if origin is not None))


@scenario_command.command("rotate-key")
def rotate_command() -> None:
    """Encrypt the secrets of all scenarios with a new key."""
    from kapture.scenarios.secrets.secret_store import SecretStore

    with scenario_errors():
        SecretStore(data_folder()).rotate()
    click.echo("The secrets are encrypted with a new key.")
