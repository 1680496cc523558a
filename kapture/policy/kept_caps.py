"""The caps of every grant, kept in the data folder: a hub that a client starts later runs with it, or not at all.

A person chooses policy file and safe mode when they start a hub. It ends when it has been idle, and the next client
starts another one, which was given neither: so each hub keeps what it runs with, and one that nobody has given
anything takes that.
"""

from __future__ import annotations

from pathlib import Path

import attrs
import msgspec

from kapture.errors import ErrorCode, KaptureError
from kapture.policy.policy import Policy
from kapture.policy.policy_file import PolicyFileError
from kapture.private_files import open_private_file, private_folder, write_private_file
from kapture.settings import Settings

FILE_NAME = "caps.json"
_MAX_BYTES = 16_384


@attrs.frozen(kw_only=True)
class Caps:
    """The policy file of a hub, the SHA-256 of its content, and whether it runs in safe mode."""

    policy_file: str | None
    sha256: str | None
    safe_mode: bool

    @property
    def flags(self) -> str:
        """The flags of `kapture serve` that give these."""
        file = f" --policy {self.policy_file}" if self.policy_file else ""
        return f"{file}{' --safe-mode' if self.safe_mode else ''}"


def caps_of(policy: Policy) -> Caps:
    """The caps of a policy in force."""
    source = None if policy.source is None else str(policy.source.absolute())
    return Caps(policy_file=source, sha256=policy.sha256, safe_mode=policy.safe_mode)


def keep(home: Path, caps: Caps) -> None:
    """Keep these for later hubs of the data folder. `UNAUTHORIZED` if they cannot be written."""
    write_private_file(private_folder(home) / FILE_NAME, msgspec.json.encode(caps))


def kept(home: Path) -> Caps | None:
    """Return the caps of the previous hub; None if there was none. `POLICY_DENIED` or `UNAUTHORIZED` if that is not
    known."""
    try:
        with open_private_file(home / FILE_NAME) as file:
            return msgspec.json.decode(file.read(_MAX_BYTES), type=Caps)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise _refused(
            f"{home / FILE_NAME}, which says what the hub before ran with, cannot be read: {error}."
        ) from error


def with_kept(settings: Settings) -> Settings:
    """The settings of a hub that starts by itself, with what the hub before ran with; `POLICY_DENIED` if that is not
    there any more as it was."""
    if (caps := kept(settings.home)) is None:
        return settings
    settings = attrs.evolve(settings, safe_mode=settings.safe_mode or caps.safe_mode)
    if caps.policy_file is None:
        return settings
    own = settings.policy_file
    if own is not None and own.absolute() != Path(caps.policy_file):
        raise _refused(f"The hub before ran with the policy file {caps.policy_file}, this one is given {own}.")
    try:
        found = Policy.load(settings.home, Path(caps.policy_file)).sha256
    except PolicyFileError as error:
        raise _refused(
            f"The hub before ran with a policy file that cannot be used now. {error.message}", caps
        ) from error
    if found != caps.sha256:
        raise _refused(f"The policy file {caps.policy_file} has changed since the hub before ran with it.", caps)
    return attrs.evolve(settings, policy_file=Path(caps.policy_file))


def _refused(message: str, caps: Caps | None = None) -> KaptureError:
    flags = "" if caps is None else caps.flags
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"{message} A hub does not start by itself with less than that.",
        hint=f"Decide it by starting one yourself: `kapture serve --background{flags}`, or with other flags.",
    )
