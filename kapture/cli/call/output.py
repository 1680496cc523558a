"""The output of `kapture call`: text and JSON to stdout, pictures and files to disk."""

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

from kapture.cli.terminal import print_json, print_text

_ERROR_META = "dev.kapture/error"
_OPENING = re.compile(r"([A-Z_]+: )?<page-content ([0-9a-f]+)>")
_EXTENSIONS = {"image/webp": ".webp", "image/png": ".png", "image/jpeg": ".jpg", "application/pdf": ".pdf"}


def show_answer(result: Mapping[str, Any], *, as_json: bool, output: str | None, plain: bool) -> None:
    """Print an answer, and save its pictures and files. `output` "-" writes the first of them to stdout."""
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    files = [_file(part) for part in result["content"] if part["type"] in ("image", "resource")]
    if output is not None:
        if output == "-" and not files:
            print_text(unfenced(text))
            return
        if output == "-":
            if sys.stdout.isatty():
                raise click.UsageError("The answer is a file, which is not written to a terminal: redirect stdout.")
            sys.stdout.buffer.write(files[0][1])
            return
        if not files:
            files, text = [("answer.txt", unfenced(text).encode() + b"\n")], ""
    saved = [
        _save(content, _target(name, index, output), output is not None) for index, (name, content) in enumerate(files)
    ]
    if as_json:
        data = dict(result.get("structuredContent") or {})
        if saved:
            data["saved"] = [str(path) for path in saved]
        print_json(json.dumps(data, ensure_ascii=False, indent=2))
        return
    if text:
        print_text(unfenced(text) if plain else text)
    for path in saved:
        print_text(f"Saved: {path}")


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
    """Write the file; a default name never overwrites an existing file."""
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


def unfenced(text: str) -> str:
    """An answer, or an error after its code, without the marks around what comes from a page: a terminal needs none."""
    lines = text.split("\n")
    closings = {line for line in lines if line.startswith("</page-content ")}
    kept, code, closing = [], "", ""
    for line in lines:
        opening = None if closing else _OPENING.fullmatch(line)
        if opening is not None and f"</page-content {opening[2]}>" in closings:
            code, closing = opening[1] or "", f"</page-content {opening[2]}>"
        elif closing and line == closing:
            closing = ""
        else:
            kept.append(code + line)
            code = ""
    return "\n".join(kept)


def error_code(result: Mapping[str, Any]) -> str:
    """The error code in the result of a failed tool call."""
    return str(result.get("_meta", {}).get(_ERROR_META, {}).get("code", ""))


def show_failure(result: Mapping[str, Any], *, as_json: bool, plain: bool = False) -> None:
    """Print the error of a tool call. `plain`: without the marks around what comes from a page."""
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    text = unfenced(text) if plain else text
    if as_json:
        known = result.get("_meta", {}).get(_ERROR_META, {})
        print_json(json.dumps({"error": {**known, "message": text}}, ensure_ascii=False, indent=2))
    else:
        print_text(text, err=True)
