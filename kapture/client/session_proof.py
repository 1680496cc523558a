"""The proof of session of `kapture mcp`: the program that started it, where, and for which session.

The servers that one program starts in one folder, under one name, have one session: a client that starts its server
anew, or a second one, has its tabs. Nobody else can make the proof, which needs a secret
of the data folder's that every hub there finds again, or the key of a share.

Limit: where the system does not tell when the parent process began (Windows), and behind a launcher such as `uvx`,
which is another parent each time, a server that is started anew has a session of its own.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import subprocess
from pathlib import Path

from kapture.pairing.proof import decode, fresh, mac
from kapture.private_files import open_private_file, private_folder, refused, write_private_file

_LABEL = "kapture-session-v1"
_FILE_NAME = "session.key"
_KEY_CHARS = 43
_ASK_S = 2


class SessionProof:
    """The proof of one server. It stays the same for as long as the server runs, so that another hub knows it too."""

    def __init__(self, program: str | None = None) -> None:
        """`program` None: a session of its own."""
        self._program = secrets.token_urlsafe(32) if program is None else program
        self._proof: str | None = None

    def with_key(self, key: str) -> str:
        """The proof, made with this key if it is the first."""
        if self._proof is None:
            raw = decode(key)
            assert raw is not None  # noqa: S101  it was checked when it was read
            self._proof = mac(raw, _LABEL, hashlib.sha256(self._program.encode("utf-8", "surrogateescape")).hexdigest())
        return self._proof


def session_key(home: Path) -> str:
    """The secret of this data folder, which is made when it is first needed. `UNAUTHORIZED` if others could read it."""
    path = private_folder(home) / _FILE_NAME
    if not path.exists():
        made = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        write_private_file(made, fresh().encode("ascii"))
        try:
            os.link(made, path)
        except FileExistsError:
            pass  # another process was faster
        finally:
            made.unlink()
    with open_private_file(path) as file:
        key = file.read(_KEY_CHARS).decode("ascii", "replace")
    if decode(key) is None:
        raise refused(f"{path} is damaged: delete it.")
    return key


def folder_name() -> str:
    """The name of the working folder, where a client was started for a project; "" where it is no project's."""
    try:
        folder = Path.cwd()
    except FileNotFoundError:
        return ""
    return "" if folder in (Path.home(), Path(folder.anchor)) else folder.name


def started_by(name: str) -> SessionProof:
    """The proof of this process, whose session has this name."""
    parent = os.getppid()
    began = _began(parent)
    if began is None:
        return SessionProof()
    try:
        folder = os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        folder = ""
    return SessionProof("\0".join((str(parent), began, folder, name)))


def _began(process: int) -> str | None:
    """When a process began, in the system's own words; None if it does not say. Process ids are used again."""
    try:
        # Field 22 of proc_pid_stat(5); the name in field 2 may hold spaces and parentheses.
        return Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    try:
        command = ["ps", "-o", "lstart=", "-p", str(process)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_ASK_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
