"""`kapture call`: one command on a tab, from a shell."""

from __future__ import annotations

import base64
import json
import mimetypes
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from kapture.errors import ErrorCode, KaptureError

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NO_HUB = 3

_ERROR_META = "dev.kapture/error"
_FENCE = re.compile(r"^<page-content ([0-9a-f]+)>\n(.*?)\n</page-content \1>$", re.MULTILINE | re.DOTALL)
_EXTENSIONS = {"image/webp": ".webp", "image/png": ".png", "image/jpeg": ".jpg", "application/pdf": ".pdf"}


@click.command("call")
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--tab", "tab_id", metavar="ID", help="The tab to run it on (see `kapture call list_tabs`).")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("-o", "--output", metavar="FILE", help="Save the picture, PDF or text to FILE; - is stdout.")
@click.option("--plain", is_flag=True, help="Leave out the marks around text from pages (always on a terminal).")
@click.option("--params", "show_params", is_flag=True, help="Show the command's parameters and exit.")
def call_command(
    name: str | None,
    arguments: tuple[str, ...],
    tab_id: str | None,
    as_json: bool,
    output: str | None,
    plain: bool,
    show_params: bool,
) -> None:
    """Run one command and print its answer.

    NAME is a command (without NAME all are listed); its parameters follow as KEY=VALUE, with JSON for objects and
    lists: `kapture call click --tab k3f9a2bc target='{"role": "button", "name": "Save"}'`. KEY:=JSON takes the
    value as JSON in any case.

    Exit codes: 0 success, 1 the command failed, 2 invalid usage, 3 no hub could be reached.
    """
    from kapture.cli.call_arguments import parse_arguments
    from kapture.mcp.schema import input_schema

    if name is None:
        _list_commands()
        return
    try:
        command = _command(name)
        if show_params:
            _show_parameters(command.description, input_schema(command))
            return
        given = parse_arguments(arguments, input_schema(command))
    except KaptureError as error:
        _fail(error, as_json=as_json, code=EXIT_USAGE)
    if tab_id is not None:
        given["tabId"] = tab_id
    try:
        result = _run(command.name, given)
    except KaptureError as error:
        no_hub = error.code in (ErrorCode.NO_BACKEND, ErrorCode.UNAUTHORIZED)
        _fail(error, as_json=as_json, code=EXIT_NO_HUB if no_hub else EXIT_FAILED)
    if result.get("isError"):
        _show_failure(result, as_json=as_json)
        raise SystemExit(EXIT_USAGE if _code_of(result) == ErrorCode.INVALID_PARAMS else EXIT_FAILED)
    _show(result, as_json=as_json, output=output, plain=plain or sys.stdout.isatty())


def _command(name: str) -> Any:
    import kapture.commands  # noqa: F401  declares them
    from kapture.commands.core.registry import get_command

    return get_command(name.replace("-", "_"))


def _run(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    import trio

    from kapture.client.connection import HubAbsentError, connect
    from kapture.client.mcp_client import open_client
    from kapture.settings import data_folder

    async def run() -> dict[str, Any]:
        try:
            connection = await connect(data_folder(), "toolsets=all&structured=1", kind="cli")
        except HubAbsentError as error:
            raise KaptureError(
                ErrorCode.NO_BACKEND,
                "No hub is running.",
                hint="Start one with `kapture serve`, or with its own browser: `kapture launch`.",
            ) from error
        progress = _print_progress if sys.stderr.isatty() else None
        async with open_client(connection, name="kapture call") as client:
            return await client.call(f"kapturemcp_{name}", arguments, progress)

    return trio.run(run)


def _print_progress(done: float, total: float | None, message: str) -> None:
    share = f" {done:g}/{total:g}" if total else ""
    click.echo(f"\r\x1b[K{message}{share}", nl=False, err=True)


def _show(result: Mapping[str, Any], *, as_json: bool, output: str | None, plain: bool) -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    files = [_file(part) for part in result["content"] if part["type"] in ("image", "resource")]
    if output is not None:
        files = files or [("answer.txt", _unfenced(text).encode() + b"\n")]
        if output == "-":
            sys.stdout.buffer.write(files[0][1])
            return
    saved = [
        _save(content, _target(name, index, output), output is not None) for index, (name, content) in enumerate(files)
    ]
    if as_json:
        data = dict(result.get("structuredContent") or {})
        if saved:
            data["saved"] = [str(path) for path in saved]
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    if text and not (output is not None and not files):
        click.echo(_unfenced(text) if plain else text)
    for path in saved:
        click.echo(f"Saved: {path}")


def _file(part: Mapping[str, Any]) -> tuple[str, bytes]:
    """The name and content of an image block or an embedded resource."""
    if part["type"] == "image":
        return f"screenshot{_extension(part['mimeType'])}", base64.b64decode(part["data"])
    resource = part["resource"]
    stem = re.sub(r"[^\w.-]", "_", resource["uri"].rsplit("/", 1)[-1]) or "file"
    extension = _extension(resource.get("mimeType", ""))
    content = base64.b64decode(resource["blob"]) if "blob" in resource else resource["text"].encode()
    return stem if stem.endswith(extension) else stem + extension, content


def _extension(mime_type: str) -> str:
    return _EXTENSIONS.get(mime_type) or mimetypes.guess_extension(mime_type) or ".bin"


def _target(name: str, index: int, output: str | None) -> Path:
    if output is None:
        return Path(name)
    path = Path(output)
    return path if index == 0 else path.with_name(f"{path.stem}-{index + 1}{path.suffix}")


def _save(content: bytes, path: Path, overwrite: bool) -> Path:
    """Write the file; a name that nobody chose never replaces a file that is there."""
    stem, number = path.stem, 1
    while True:
        try:
            with path.open("wb" if overwrite else "xb") as file:
                file.write(content)
        except FileExistsError:
            number += 1
            path = path.with_name(f"{stem}-{number}{path.suffix}")
        except OSError as error:
            raise click.ClickException(f"Could not write {path}: {error.strerror}.") from error
        else:
            return path.resolve()


def _unfenced(text: str) -> str:
    return _FENCE.sub(lambda found: found[2], text)


def _code_of(result: Mapping[str, Any]) -> str:
    return str(result.get("_meta", {}).get(_ERROR_META, {}).get("code", ""))


def _show_failure(result: Mapping[str, Any], *, as_json: bool) -> None:
    text = _unfenced("\n".join(part["text"] for part in result["content"] if part["type"] == "text"))
    if as_json:
        known = result.get("_meta", {}).get(_ERROR_META, {})
        click.echo(json.dumps({"error": {**known, "message": text}}, ensure_ascii=False, indent=2))
    else:
        click.echo(text, err=True)


def _fail(error: KaptureError, *, as_json: bool, code: int) -> Any:
    if as_json:
        click.echo(json.dumps({"error": {"code": error.code, "message": str(error), "data": error.data}}))
    else:
        click.echo(str(error), err=True)
    raise SystemExit(code)


def _list_commands() -> None:
    import kapture.commands  # noqa: F401  declares them
    from kapture.commands.core.registry import all_commands

    formatter = click.HelpFormatter(width=110)
    rows = [(command.name, command.description.splitlines()[0]) for command in all_commands()]
    formatter.write_dl(rows)
    click.echo(formatter.getvalue(), nl=False)
    click.echo("\n`kapture call NAME --params` shows a command's parameters.")


def _show_parameters(description: str, schema: Mapping[str, Any]) -> None:
    required = set(schema.get("required", ()))
    formatter = click.HelpFormatter(width=110)
    rows = []
    for name, part in schema["properties"].items():
        kinds = part.get("enum") or part.get("type") or "any"
        kind = "|".join(map(str, kinds)) if isinstance(kinds, list) else kinds
        note = (
            " (required)"
            if name in required
            else f" (default: {json.dumps(part['default'])})"
            if "default" in part
            else ""
        )
        rows.append((f"{name}={kind}", f"{part.get('description', '')}{note}"))
    click.echo(description + "\n")
    formatter.write_dl(rows)
    click.echo(formatter.getvalue(), nl=False)
