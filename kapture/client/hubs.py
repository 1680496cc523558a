"""Which hub a program uses: this machine's, or one that is shared with this machine (docs/REACH.md)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from kapture.data_folder import REMOTE, data_folder
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import key_file

LOCAL = "local"
VARIABLE = "KAPTURE_HUB"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_PATHS = ("unix:", "file:")


def hub_folder(
    named: str | None = None, environment: Mapping[str, str] | None = None, *, may_come: bool = False
) -> Path:
    """The folder with the `hub.json` of the hub to use: the named one (else `KAPTURE_HUB`; `local` is this machine's,
    `unix:PATH` that of a socket, `file:PATH` that of a `hub.json`), else this machine's if it runs, else the only one
    that is shared with this machine. `may_come`: a named one need not be shared yet.

    `INVALID_PARAMS` if there is none of this name, or several.
    """
    environment = os.environ if environment is None else environment
    own = data_folder(environment)
    named = named or environment.get(VARIABLE) or None
    if named == LOCAL:
        return own
    if named is not None and named.startswith(_PATHS):
        kind, _, path = named.partition(":")
        file = Path(path).expanduser().absolute()
        file = file.with_name(key_file.FILE_NAME) if kind == "unix" else file
        if file.name == key_file.FILE_NAME and (may_come or key_file.exists(file.parent)):
            return file.parent
        raise KaptureError(
            ErrorCode.NO_BACKEND,
            f"There is no {file}: the share has ended, or is not mounted here."
            if file.name == key_file.FILE_NAME
            else f"{file} is not named {key_file.FILE_NAME}, as a copy of a share's has to be.",
            hint="Run `kapture share` on the machine with the browser, and mount or copy what it names.",
        )
    shared = shared_hubs(environment)
    names = ", ".join(shared) or "none"
    if named is not None:
        if named in shared or (may_come and _NAME.fullmatch(named)):
            return own / REMOTE / named
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"No hub {named!r} is shared with this machine. Shared: {names}.",
            hint="Run `kapture share ssh` on the machine with the browser, or name `local`, unix:PATH or file:PATH.",
        )
    if not shared or key_file.exists(own):
        return own
    if len(shared) > 1:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"Several hubs are shared with this machine: {names}.",
            hint=f"Name one with --hub or {VARIABLE}; `local` is this machine's own.",
        )
    return next(iter(shared.values()))


def shared_hubs(environment: Mapping[str, str] | None = None) -> dict[str, Path]:
    """The folders of the hubs that are shared with this machine over SSH, by name."""
    found = sorted(data_folder(environment).glob(f"{REMOTE}/*/{key_file.FILE_NAME}"))
    return {path.parent.name: path.parent for path in found}


def is_shared(folder: Path, environment: Mapping[str, str] | None = None) -> bool:
    """Whether this is the folder of a shared hub, which cannot be started from here."""
    return folder != data_folder(environment)
