"""`kapture doctor`: checks everything that can be wrong with a set-up, and says how to fix it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs
import click

from kapture.cli.doctor.finding import Finding, State, failed
from kapture.cli.doctor.hub_checks import answered, changed_policy, extension, group, running_hub, shared_hubs, written
from kapture.cli.doctor.setup_checks import (
    browser,
    data_folder,
    extension_files,
    key_file_check,
    mcp_clients,
    native_hosts,
    policy,
    versions,
)
from kapture.cli.terminal import harmless_line, print_json
from kapture.data_folder import data_folder as default_home
from kapture.errors import KaptureError
from kapture.settings import Settings

_MARKS: Mapping[State, tuple[str, str]] = {"ok": ("✓", "green"), "note": ("·", "yellow"), "bad": ("✗", "red")}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def doctor_command(as_json: bool) -> None:
    """Check the set-up and say how to fix it. Exits with 1 when something keeps Kapture from working."""
    import trio

    findings = trio.run(examine)
    if as_json:
        print_json(json.dumps([attrs.asdict(finding) for finding in findings], ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            mark, colour = _MARKS[finding.state]
            what = click.style(harmless_line(finding.what), bold=True)
            click.echo(f"{click.style(mark, fg=colour)} {what}: {harmless_line(finding.detail)}")
            if finding.fix:
                click.echo(f"    {harmless_line(finding.fix)}")
    raise SystemExit(any(finding.state == "bad" for finding in findings))


async def examine(
    environment: Mapping[str, str] | None = None, status: Mapping[str, Any] | None = None
) -> list[Finding]:
    """Run every check, in the order of their dependencies. A check that cannot be run does not stop the others.

    `status`: the running hub's, where it runs the checks itself; otherwise it is asked, like by any client.
    """
    findings = [versions(), *_checked("extension folder", lambda: [extension_files()])]
    try:
        settings = Settings.load(None, environment)
    except KaptureError as error:
        findings.append(failed("settings", error))
        settings = Settings(home=default_home(environment))
    home = settings.home
    findings += _checked("data folder", lambda: [data_folder(home)])
    findings += _checked("key file", lambda: [key_file_check(home)])
    findings += _checked("policy", lambda: [policy(settings)])
    try:
        hub, status = await running_hub(settings) if status is None else (answered(status), status)
    except OSError as error:
        hub, status = _not_checked("hub", error), None
    findings.append(hub)
    findings += await shared_hubs()
    findings += written(status)
    findings += _checked("group", lambda: group(settings, status))
    findings += _checked("policy in force", lambda: changed_policy(settings, status))
    findings += _checked("browser", lambda: [browser()])
    findings += _checked("pairing", lambda: native_hosts(home))
    findings += _checked("extension", lambda: [extension(status, home)])
    findings += _checked("MCP clients", mcp_clients)
    return findings


def _checked(what: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    try:
        yield from check()
    except KaptureError as error:
        yield failed(what, error)
    except OSError as error:
        yield _not_checked(what, error)


def _not_checked(what: str, error: OSError) -> Finding:
    where = f"{error.filename}: " if error.filename else ""
    return Finding(what=what, state="bad", detail=f"could not be checked: {where}{error.strerror or error}")
