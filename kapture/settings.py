"""Every setting of the hub: flags over environment over file over defaults.

The file is `settings.toml` in the data folder, with the names below; the environment has them as `KAPTURE_…`
(`KAPTURE_PORT`, `KAPTURE_IDLE_EXIT`, …). Durations are numbers of seconds or texts such as `90s`, `15m`, `1h`.
"""

from __future__ import annotations

import difflib
import math
import os
import platform
import re
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs

from kapture.data_folder import data_folder
from kapture.errors import ErrorCode, KaptureError
from kapture.private_files import read_regular_file

DEFAULT_PORT = 61822
FILE_NAME = "settings.toml"
_MAX_FILE_BYTES = 64 * 1024  # a long dotted key takes quadratic time


def _invalid(name: str, value: object, wanted: str) -> KaptureError:
    return KaptureError(
        ErrorCode.INVALID_PARAMS, f"The setting {name} is {value!r}; it must be {wanted}.", data={"setting": name}
    )


_UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "": 1_000}
_DURATION = re.compile(r"(\d{1,15}(?:\.\d{1,15})?) ?(ms|s|m|h|)", re.ASCII)


def duration_ms(name: str, value: object) -> float:
    """Convert seconds, or a text with a unit such as `90s`, to milliseconds."""
    with suppress(OverflowError):  # an integer with hundreds of digits
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and math.isfinite(value):
            return value * 1_000.0
    if isinstance(value, str) and (found := _DURATION.fullmatch(value.strip())):
        return float(found[1]) * _UNITS_MS[found[2]]
    raise _invalid(name, value, "a time such as 90s, 15m or 1h")


def _port(name: str, value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 5:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 65_535:
        return value
    raise _invalid(name, value, "a port between 0 (any free one) and 65535")


_WORDS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
    "": False,
}


def _switch(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    raise _invalid(name, value, "true or false")


def _one_of(*values: str) -> Callable[[str, object], str]:
    def read(name: str, value: object) -> str:
        if isinstance(value, str) and value in values:
            return value
        raise _invalid(name, value, f"one of {', '.join(values)}")

    return read


def _relay_token(name: str, value: object) -> str:
    """Check a relay token. It is a secret, so the error does not repeat it."""
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9._~-]{16,256}", value):
        return value
    raise _invalid(name, "…", "16 to 256 letters, digits, dots, dashes, underscores or tildes")


_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s?#@]+")


def _origins(name: str, value: object) -> tuple[str, ...]:
    """Read one origin, several separated by commas, or a list of them."""
    origins = value.split(",") if isinstance(value, str) else value
    if isinstance(origins, list | tuple):
        found = tuple(each.strip().lower() for each in origins if isinstance(each, str))
        if len(found) == len(origins) and all(_ORIGIN.fullmatch(each) for each in found):
            return found
        value = ",".join(str(each) for each in origins)
    raise _invalid(name, value, "an origin such as https://example.com or chrome-extension://ID")


def _extension_ids(name: str, value: object) -> tuple[str, ...]:
    """Read one id of an extension, several separated by commas, or a list of them."""
    ids = value.split(",") if isinstance(value, str) else value
    if isinstance(ids, list | tuple):
        found = tuple(each.strip() for each in ids if isinstance(each, str))
        if len(found) == len(ids) and all(re.fullmatch(r"[a-p]{32}", each) for each in found):
            return found
    raise _invalid(name, value, "the id of an extension: 32 letters from a to p")


def _path(name: str, value: object) -> Path:
    if isinstance(value, Path):
        return value
    if isinstance(value, str) and value and "\0" not in value:
        with suppress(RuntimeError):  # the home of a user that there is not
            return Path(value).expanduser()
    raise _invalid(name, value, "a path")


def _count(name: str, value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 6:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 100_000:
        return value
    raise _invalid(name, value, "a number between 1 and 100000")


_SERVER = re.compile(
    r"(?P<scheme>rediss?)://(?:(?P<user>[^:/?#@\s]+)@)?(?P<host>\[[0-9a-fA-F:.]+\]|[^:/?#@\s\[\]]+)"
    r"(?::(?P<port>[0-9]{1,5}))?(?:/(?P<db>[0-9]{0,5}))?"
    r"|unix:(?://)?(?P<path>/[^?#\0]*)"
)
_LOOPBACK = re.compile(r"localhost|127(?:\.[0-9]{1,3}){3}|\[::1\]", re.IGNORECASE)


@attrs.frozen(kw_only=True)
class GroupServer:
    """Where a group's Redis-compatible server is: `host` and `port`, or the `path` of a Unix socket."""

    host: str = ""
    port: int = 6379
    db: int = 0
    user: str | None = None
    tls: bool = False
    path: str = ""

    @property
    def shown(self) -> str:
        """The server, for people."""
        return f"unix:{self.path}" if self.path else f"redis{'s' * self.tls}://{self.host}:{self.port}/{self.db}"


def _server(name: str, value: object) -> GroupServer:
    """Read a URL. One with a password is not repeated, and refused: it is seen in the list of processes."""
    text = value if isinstance(value, str) else ""
    scheme, _, rest = text.partition("://")
    if scheme in ("redis", "rediss") and ":" in rest.rpartition("@")[0]:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The setting {name} holds a password, which every program on this machine could read.",
            hint="Put it into a file of yours alone, and name that with group_password_file.",
            data={"setting": name},
        )
    found = _SERVER.fullmatch(text)
    if found is None or int(found["port"] or 1) not in range(1, 65_536):
        raise _invalid(name, value, "a URL such as rediss://user@host:6379/0 or unix:/run/redis.sock")
    if found["path"]:
        return GroupServer(path=found["path"])
    if found["scheme"] == "redis" and _LOOPBACK.fullmatch(found["host"]) is None:
        raise _invalid(name, value, "rediss://… (TLS): redis:// is for loopback addresses alone")
    return GroupServer(
        host=found["host"].strip("[]"),
        port=int(found["port"] or 6379),
        db=int(found["db"] or 0),
        user=found["user"],
        tls=found["scheme"] == "rediss",
    )


MACHINE = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
"""The name of a machine in a group."""


def _machine(name: str, value: object) -> str:
    if isinstance(value, str) and MACHINE.fullmatch(value):
        return value
    raise _invalid(name, value, "up to 40 lower-case letters, digits, dots, dashes and underscores")


def _this_machine() -> str:
    found = re.sub(r"[^a-z0-9._-]", "-", platform.node().partition(".")[0].lower()).lstrip("._-")[:40]
    return found or "machine"


def at_limit(what: str, setting: str, limit: int) -> tuple[str, str]:
    """Message and hint of the error when one more is requested than a setting allows."""
    flag, variable = f"--{setting.replace('_', '-')}", f"KAPTURE_{setting.upper()}"
    return (
        f"The hub has {limit} {what}, as many as {setting} allows.",
        f"Close some, or start the hub with more: `kapture serve {flag} {2 * limit}`, or {variable}={2 * limit}.",
    )


@attrs.frozen(kw_only=True)
class Limits:
    """Bounds that hold for every hub. Users set `tabs`, `client_tabs` and `connections`; tests make all of them
    small."""

    queue: int = 64
    heartbeat_ms: float = 10_000
    missed_heartbeats: int = 2
    grace_ms: float = 5_000
    proof_ms: float = 5_000
    head_ms: float = 5_000
    head_bytes: int = 65_536
    message_bytes: int = 64 * 2**20
    unproven_message_bytes: int = 65_536
    buffered_bytes: int = 8 * 2**20
    tab_memory_bytes: int = 4 * 2**20  # kept of one tab: logs, requests, events, trees, answers
    memory_bytes: int = 64 * 2**20  # kept of all tabs
    connections: int = 512  # that have shown the key or the client token
    unproven_connections: int = 64
    unproven_idle_ms: float = 5_000
    tabs: int = 256
    client_tabs: int = 20  # that one client may have opened
    bad_messages: int = 20
    bad_messages_window_ms: float = 10_000
    dialog_grace_ms: float = 1_000
    idle_detach_ms: float = 5 * 60_000  # without a command, until the debugger leaves an extension's tab; 0: never


@attrs.frozen(kw_only=True)
class Settings:
    """The settings of one hub."""

    home: Path = attrs.field(factory=data_folder)
    port: int = DEFAULT_PORT
    idle_exit_ms: float = 15 * 60_000  # 0: never exit
    safe_mode: bool = False
    no_pairing: bool = False
    allow_origins: tuple[str, ...] = ()  # with `no_pairing`: pages and extensions that may register as tabs
    extension_ids: tuple[str, ...] = ()  # of further builds of the extension, as a store signs them
    prefer: str = "extension"  # extension, launch, attach: which tabs a call without a tabId goes to
    fallback: str = "none"  # launch: a browser is launched when no tab answers
    fallback_profile: Path | None = None  # where this browser keeps its profile; None: a temporary one
    relay: bool = False  # serve relay extensions (docs/BACKENDS.md); a relay_token alone switches it on
    relay_port: int = 0  # a separate port for them; 0: the hub's
    relay_token: str = attrs.field(default="", repr=False)  # of relay extensions; "": made at start-up
    unsafe_all_sites: bool = False
    show_actions: bool = True  # pages show their person which client acts, and Stop
    close_left_tabs: bool = True  # that a client has opened and left behind, if no person has used them
    policy_file: Path | None = None
    join: GroupServer | None = None  # the server of the group that the hub joins (docs/REACH.md)
    group_key_file: Path | None = None
    group_password_file: Path | None = None  # of the server's user
    group_ca_file: Path | None = None  # certificates (PEM) to trust for the server; None: the system's
    machine: str = attrs.field(factory=_this_machine)  # its name in the group
    limits: Limits = Limits()

    @classmethod
    def load(cls, flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None) -> Settings:
        """Combine flags (None: not given), environment, file and defaults; `INVALID_PARAMS` for an invalid setting."""
        environment = os.environ if environment is None else environment
        given_home = (flags or {}).get("home")
        home = data_folder(environment) if given_home is None else _path("home", given_home).absolute()
        found = _from_file(home / FILE_NAME)
        found |= {name: environment[variable] for variable, name in _OTHER_NAMES.items() if variable in environment}
        found |= {
            name: environment[variable] for name in _READERS if (variable := f"KAPTURE_{name.upper()}") in environment
        }
        found |= {name: value for name, value in (flags or {}).items() if value is not None and name != "home"}
        if "relay" not in found and found.get("relay_token"):
            found["relay"] = True
        values: dict[str, Any] = {}
        for name, value in found.items():
            attribute, read = _READERS[name]
            values[attribute] = read(name, value)
        limits = {
            field: values.pop(field)
            for field in ("tabs", "client_tabs", "connections", "idle_detach_ms")
            if field in values
        }
        settings = cls(home=home, limits=Limits(**limits), **values)
        if settings.allow_origins and not settings.no_pairing:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "The setting allow_origin needs no_pairing: pages cannot prove that they hold the key.",
                hint="Add --no-pairing, which lets every program on this machine in.",
                data={"setting": "allow_origin"},
            )
        if settings.join is not None and settings.group_key_file is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "The setting join needs group_key_file: the key of the group.",
                hint="`kapture group new NAME --file FILE` makes one; every machine of the group has a copy.",
                data={"setting": "group_key_file"},
            )
        return settings


# setting → (attribute, how to read it)
_READERS: dict[str, tuple[str, Any]] = {
    "port": ("port", _port),
    "idle_exit": ("idle_exit_ms", duration_ms),
    "idle_detach": ("idle_detach_ms", duration_ms),
    "safe_mode": ("safe_mode", _switch),
    "no_pairing": ("no_pairing", _switch),
    "allow_origin": ("allow_origins", _origins),
    "extension_id": ("extension_ids", _extension_ids),
    "prefer": ("prefer", _one_of("extension", "launch", "attach")),
    "fallback": ("fallback", _one_of("none", "launch")),
    "fallback_profile": ("fallback_profile", _path),
    "relay": ("relay", _switch),
    "relay_port": ("relay_port", _port),
    "relay_token": ("relay_token", _relay_token),
    "unsafe_all_sites": ("unsafe_all_sites", _switch),
    "show_actions": ("show_actions", _switch),
    "close_left_tabs": ("close_left_tabs", _switch),
    "policy_file": ("policy_file", _path),
    "join": ("join", _server),
    "group_key_file": ("group_key_file", _path),
    "group_password_file": ("group_password_file", _path),
    "group_ca_file": ("group_ca_file", _path),
    "machine": ("machine", _machine),
    "max_tabs": ("tabs", _count),
    "max_tabs_per_client": ("client_tabs", _count),
    "max_connections": ("connections", _count),
}


# Variables of the systems that profiles replace → setting. Kapture's own take precedence.
_OTHER_NAMES = {
    "CHROME_MCP_WS_PORT": "port",
    "CHROME_MCP_USERDATA": "fallback_profile",
    "RELAY_PORT": "relay_port",
    "RELAY_TOKEN": "relay_token",
}


def _from_file(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(read_regular_file(path, _MAX_FILE_BYTES).decode())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise KaptureError(ErrorCode.INVALID_PARAMS, f"{path} could not be read: {error.strerror}.") from error
    except (RecursionError, ValueError) as error:  # not UTF-8, no TOML, nested too deeply, too many digits
        raise KaptureError(ErrorCode.INVALID_PARAMS, f"{path} is not TOML: {error}.") from error
    for key in content:
        if key not in _READERS:
            near = difflib.get_close_matches(key, _READERS, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"The settings are {', '.join(_READERS)}."
            raise KaptureError(ErrorCode.INVALID_PARAMS, f"{path} has an unknown setting {key!r}.", hint=hint)
    return content
