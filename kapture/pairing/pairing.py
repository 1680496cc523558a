"""The secrets of one running hub: its key, its client token, its one-time tickets."""

from __future__ import annotations

import datetime
import os
import time
from pathlib import Path

from kapture import __version__
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import key_file
from kapture.pairing.access import Who
from kapture.pairing.key_file import KeyFile
from kapture.pairing.proof import HubProof, answer_client, decode, fresh, same
from kapture.pairing.ticket import RENEW, check_ticket

_MAX_SESSIONS = 64


class Pairing:
    """The hub's secrets, new at every start and every rotation; on disk only in `hub.json`.

    `home` is the data folder. Nothing is written before `write_key_file`, which the hub calls when it has its port, so
    that the file never names a port that another program has.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._port: int | None = None
        self._written: KeyFile | None = None
        self._spent_tickets: dict[str, float] = {}
        self._sessions: dict[str, None] = {}
        self._key, self._client_token = fresh(), fresh()

    def __repr__(self) -> str:
        return f"Pairing(home={str(self.home)!r}, port={self._port})"

    @property
    def _key_bytes(self) -> bytes:
        key = decode(self._key)
        assert key is not None  # noqa: S101  made by fresh()
        return key

    def write_key_file(self, port: int) -> Path:
        """Write `hub.json` for the hub that listens on this port; returns its path. `UNAUTHORIZED` if that fails."""
        self._port = port
        return self._write(port, self._key, self._client_token)

    def _write(self, port: int, key: str, client_token: str) -> Path:
        content = KeyFile(
            version=__version__,
            port=port,
            pid=os.getpid(),
            key=key,
            clientToken=client_token,
            startedAt=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )
        path = key_file.write(self.home, content)
        self._written = content
        return path

    def restore_key_file(self) -> bool:
        """Write `hub.json` again if it was removed; returns whether that was needed. `UNAUTHORIZED` if that fails."""
        # `Path.exists` raises where the folder cannot be looked into.
        if self._written is None or os.path.exists(self.home / key_file.FILE_NAME):  # noqa: PTH110
            return False
        key_file.write(self.home, self._written)
        return True

    def remove_key_file(self) -> None:
        """Remove `hub.json` when the hub ends, unless a newer hub has written its own. `UNAUTHORIZED` if that fails."""
        if self._written is not None:
            key_file.remove(self.home, self._written)
            self._written = None

    def rotate(self) -> None:
        """Make new secrets and write them. The caller then closes every connection: none is authenticated any more.

        `UNAUTHORIZED` if they cannot be written: the old ones stay in force, because nobody could learn the new ones.
        """
        key, client_token = fresh(), fresh()
        if self._port is not None:
            self._write(self._port, key, client_token)
        self._key, self._client_token = key, client_token
        self._sessions.clear()

    def tab_proof(self) -> HubProof:
        """The hub's side of the proof for one new tab socket."""
        return HubProof(self._key_bytes)

    def holder(self, token: str | None) -> Who | None:
        """Return the holder of this token: a client, or the session of a Console; None for any other. Constant time."""
        found = Who.CLIENT if same(self._client_token, token) else None
        for session in tuple(self._sessions):
            if same(session, token):
                found = Who.SESSION
        return found

    def client_proof(self, nonce: str) -> str:
        """The MAC with which to answer a client's `Kapture-Nonce`; `UNAUTHORIZED` for an invalid nonce."""
        return answer_client(self._key, nonce)

    def open_session(self) -> str:
        """A new session token of a Console, whose ticket was spent. It is good until the hub ends or rotates its
        key."""
        session = fresh()
        if len(self._sessions) >= _MAX_SESSIONS:
            self._sessions.pop(next(iter(self._sessions)))
        self._sessions[session] = None
        return session

    def spend_ticket(self, label: str, ticket: str) -> None:
        """Use up a one-time ticket with this label; `UNAUTHORIZED` if it is invalid or used."""
        now = time.time()
        self._spent_tickets = {nonce: end for nonce, end in self._spent_tickets.items() if end > now}
        nonce, ends_at = check_ticket(self._key_bytes, label, ticket, now)
        if nonce in self._spent_tickets:
            raise KaptureError(ErrorCode.UNAUTHORIZED, "This ticket was used before.", hint=RENEW[label])
        self._spent_tickets[nonce] = ends_at
