"""The policy file: TOML in, checked rules out, or an error with the line and the reason.

Every rule only restricts: none can allow what the person at the browser did not grant. The JSON Schema in
`docs/policy.schema.json` is made from these classes (`kapture policy schema`).
"""

from __future__ import annotations

import re
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import attrs
import msgspec
from msgspec import Meta

from kapture.commands.core.registry import get_command
from kapture.errors import ErrorCode, KaptureError
from kapture.glob import matches_pieces
from kapture.policy.grant import Address, is_ip, parse_host
from kapture.private_files import open_regular_file, why_others_may_write

_PATTERN = re.compile(
    r"(?:(?P<scheme>\*|https?|file)://)?(?P<host>\[[^\]]*\]|[^/:?#@]*)(?::(?P<port>\*|[0-9]{1,5}))?(?P<path>/.*)?",
    re.DOTALL | re.IGNORECASE,
)
_NOT_HOSTS = frozenset({"about", "blob", "chrome", "data", "devtools", "file", "ftp", "http", "https", "javascript"})
_OWN_PORTS = {"http": 80, "https": 443}


class PatternError(ValueError):
    """The text is not a pattern; the message says why."""


@attrs.frozen
class Pattern:
    """One compiled pattern."""

    text: str
    schemes: frozenset[str]
    host: str  # "" any
    subdomains: bool
    port: int | None
    own_port: bool
    path: tuple[str, ...] | None  # the texts between stars
    with_query: bool

    @classmethod
    def compile(cls, text: str) -> Pattern:
        """Compile a pattern; raises `PatternError`."""
        if text != text.strip() or not text:
            raise PatternError("a pattern must not be empty or begin or end with a space")
        found = _PATTERN.fullmatch(text)
        if found is None:
            raise PatternError(f"{text!r} is not [scheme://]host[:port][/path]")
        scheme, path_text = (found["scheme"] or "").lower(), found["path"]
        bare = not scheme and path_text is None
        host, subdomains = _host(text, found["host"], scheme, bare)
        port = None if found["port"] in (None, "*") else int(found["port"])
        if port is not None and not 0 < port <= 65535:
            raise PatternError(f"{text!r} names port {port}")
        return cls(
            text=text,
            schemes=frozenset({"http", "https"} if scheme in ("", "*") else {scheme}),
            host=host,
            subdomains=subdomains,
            port=port,
            own_port=bool(scheme) and scheme != "*" and found["port"] is None and bool(host),
            path=None if path_text is None else tuple(path_text.split("*")),
            with_query=path_text is not None and "?" in path_text,
        )

    @property
    def names_web_sites(self) -> bool:
        """Whether it matches any address of the web, rather than files."""
        return self.schemes != {"file"}

    def matches(self, address: Address, *, any_case: bool = False) -> bool:
        """Whether the pattern covers this address. `any_case` compares paths without regard to case."""
        if address.scheme not in self.schemes or not self._matches_host(address):
            return False
        if self.port is not None and address.port != self.port:
            return False
        if self.own_port and address.port != _OWN_PORTS.get(address.scheme):
            return False
        if self.path is None:
            return True
        text = f"{address.path}?{address.query}" if self.with_query else address.path
        if any_case:
            return matches_pieces(text.lower(), [piece.lower() for piece in self.path])
        return matches_pieces(text, self.path)

    def _matches_host(self, address: Address) -> bool:
        if not self.host or address.host == self.host:
            return True
        return self.subdomains and address.host.endswith(f".{self.host}")


def _host(text: str, host: str, scheme: str, bare: bool) -> tuple[str, bool]:
    if scheme == "file":
        if host not in ("", "*"):
            raise PatternError(f"{text!r}: file patterns name no host (file:///path)")
        return "", False
    if host == "*":
        return "", False
    wild = host.startswith("*.")
    name = parse_host(host[2:] if wild else host)
    if name is None or "*" in name:
        raise PatternError(
            f"{text!r}: {host!r} is not a host; a star stands alone or as the first label (*.example.com)"
        )
    if not scheme and name in _NOT_HOSTS:
        raise PatternError(f"{text!r}: patterns are for http, https and file addresses")
    if wild and is_ip(name):
        raise PatternError(f"{text!r}: an IP address has no subdomains")
    return name, wild or (bare and not is_ip(name) and ("." in name or name == "localhost"))


LevelName = Literal["none", "read", "interact", "full"]
Patterns = Annotated[
    tuple[str, ...], Meta(description="Address patterns: example.com, https://*.example.com/app/*, file:///path/*.")
]
MAX_FILE_BYTES = 64 * 1024  # a long dotted key takes quadratic time
DEFAULT_MAX_DOWNLOAD_BYTES = 256 * 1024 * 1024
_KEY_COLUMNS = 200  # as far as the beginning of a line is searched for the key that a message names


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Caps for one kind of client, or, at the top of the file, for all."""

    level: Annotated[LevelName, Meta(description="The highest level that any grant may reach.")] = "full"
    allow: Annotated[Patterns | None, Meta(description="Only these addresses, and of them only the granted.")] = None
    deny: Annotated[Patterns, Meta(description="Never these addresses; wins over allow.")] = ()
    evaluate: Annotated[
        bool, Meta(description="May scripts of the client run in pages? Raw CDP and mocks can run some.")
    ] = True
    cdp: Annotated[bool, Meta(description="May the client send raw CDP?")] = True
    handoff: Annotated[bool, Meta(description="May the client hand a tab over to the person (ask_person)?")] = True
    pins: Annotated[bool, Meta(description="Does the client get what the person points at?")] = True
    commands_denied: Annotated[tuple[str, ...], Meta(description="Names of commands that never run.")] = ()


_S = TypeVar("_S", bound=Section)


class Downloads(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where downloads go."""

    enabled: Annotated[bool, Meta(description="May files be downloaded?")] = True
    folder: Annotated[str | None, Meta(description="The folder; by default `downloads` in the data folder.")] = None
    max_bytes: Annotated[int, Meta(gt=0, description="The largest file that is kept, in bytes.")] = (
        DEFAULT_MAX_DOWNLOAD_BYTES
    )


class Uploads(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where uploaded files may come from."""

    enabled: Annotated[bool, Meta(description="May files be uploaded?")] = True
    folders: Annotated[
        tuple[str, ...] | None,
        Meta(description="Only files in these folders; by default `uploads` in the data folder."),
    ] = None


class Approvals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a person is asked about a step outside the grant."""

    enabled: Annotated[bool, Meta(description="Ask, or deny at once?")] = True
    timeout_s: Annotated[float, Meta(gt=0, le=600, description="Seconds that a person has to answer.")] = 300.0
    elicitation: Annotated[
        bool,
        Meta(
            description="May the question also be put through the MCP client (elicitation)? A client can answer it "
            "without a person, so its yes is for that one call."
        ),
    ] = False


class Consent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person may allow beyond one tab."""

    standing: Annotated[bool, Meta(description="May standing grants connect tabs by themselves?")] = True


class PolicyFile(Section, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A Kapture policy: caps on every grant."""

    downloads: Downloads = Downloads()
    uploads: Uploads = Uploads()
    approvals: Approvals = Approvals()
    consent: Consent = Consent()
    clients: Annotated[
        dict[str, Section],
        Meta(description='More caps for clients whose name matches, such as "claude*"; case does not matter.'),
    ] = {}


class PolicyFileError(KaptureError):
    """The policy file is invalid. The hub must not run without the rules that it was meant to have."""

    def __init__(self, path: Path, line: int | None, reason: str) -> None:
        where = f"{path}:{line}" if line else str(path)
        super().__init__(
            ErrorCode.POLICY_DENIED,
            f"The policy file is not valid: {where}: {reason.removesuffix('.')}.",
            hint="Fix it; `kapture policy check FILE` checks it. Without its rules nothing is allowed.",
            data={"path": str(path), "line": line, "reason": reason},
        )
        self.path = path
        self.line = line
        self.reason = reason


def read(path: Path) -> tuple[PolicyFile, str]:
    """Read and check a policy file; returns its rules and its SHA-256. `PolicyFileError` if it is invalid, missing, or
    writable by others."""
    try:
        with open_regular_file(path) as file:
            if (problem := why_others_may_write(path, file.fileno())) is not None:
                raise PolicyFileError(path, None, problem)
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise PolicyFileError(path, None, f"it could not be read: {error.strerror or error}") from error
    if len(raw) > MAX_FILE_BYTES:
        raise PolicyFileError(path, None, f"it is larger than {MAX_FILE_BYTES} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise PolicyFileError(path, line, "it is not UTF-8 text") from error
    return parse(text, path), sha256(raw).hexdigest()


def parse(text: str, path: Path) -> PolicyFile:
    """Parse the rules in a policy text; `path` is for messages."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyFileError(path, _line_of_toml(str(error), text), f"it is not TOML: {error}") from error
    except (RecursionError, ValueError) as error:  # deep nesting; integers with too many digits
        raise PolicyFileError(path, None, f"it cannot be read as TOML: {error}") from error
    try:
        rules = msgspec.convert(table, PolicyFile)
    except msgspec.ValidationError as error:
        reason, _, location = str(error).partition(" - at `")
        raise PolicyFileError(path, _line_of(text, location.rstrip("`"), reason), reason + _place(location)) from error
    _check_patterns(rules, text, path)
    clients = {name: _with_known_commands(section, text, path) for name, section in rules.clients.items()}
    return msgspec.structs.replace(_with_known_commands(rules, text, path), clients=clients)


def _check_patterns(rules: PolicyFile, text: str, path: Path) -> None:
    sections: list[tuple[str, Section]] = [("", rules), *rules.clients.items()]
    for _, section in sections:
        for pattern in (*(section.allow or ()), *section.deny):
            try:
                Pattern.compile(pattern)
            except PatternError as error:
                raise PolicyFileError(path, _line_with(text, pattern), str(error)) from error
    for folder in (*(rules.uploads.folders or ()), *filter(None, [rules.downloads.folder])):
        if "\0" in folder or not _is_absolute(folder):
            raise PolicyFileError(path, _line_with(text, folder), f"{folder!r} is not an absolute path (or ~/…)")


def _with_known_commands(section: _S, text: str, path: Path) -> _S:
    """The section with the commands as they are named; a name that no command has would deny nothing."""
    denied = []
    for name in section.commands_denied:
        try:
            denied.append(get_command(name).name)
        except KaptureError as error:
            reason = f"commands_denied: {error.explanation}"
            raise PolicyFileError(path, _line_with(text, name), reason) from error
    return msgspec.structs.replace(section, commands_denied=tuple(denied))


def _is_absolute(folder: str) -> bool:
    try:
        return Path(folder).expanduser().is_absolute()
    except RuntimeError:  # the home of an unknown user
        return False


def _place(location: str) -> str:
    location = location.rstrip("`").removeprefix("$").removeprefix(".")
    return f" (at {location})" if location else ""


def _line_of_toml(message: str, text: str) -> int:
    found = re.search(r"at line (\d+)", message)
    return int(found[1]) if found else text.count("\n") + 1


def _line_with(text: str, value: str) -> int | None:
    """The line that contains a value, as it is or as TOML escapes it."""
    for number, line in enumerate(text.splitlines(), 1):
        if value in line or msgspec.json.encode(value).decode()[1:-1] in line:
            return number
    return None


def _line_of(text: str, location: str, reason: str) -> int | None:
    """The line that sets a key path such as `$.clients[...].level`, or else its longest prefix that is found."""
    keys = re.findall(r"\.([A-Za-z_]+)", location)
    if unknown := re.search(r"unknown field `([^`]*)`", reason):
        keys.append(unknown[1])
    lines = [line[:_KEY_COLUMNS] for line in text.splitlines()]
    start, found = 0, None
    for key in keys:
        spelled = re.compile(rf"""\s*(?:\[+[^\]]*?)?(?:[\w."'*-]+\s*\.\s*)?["']?{re.escape(key)}["']?\s*(?:[=\].]|$)""")
        for number in range(start, len(lines)):
            if spelled.match(lines[number]) or re.search(rf"[{{,]\s*{re.escape(key)}\s*=", lines[number]):
                start, found = number, number + 1
                break
    return found


def schema() -> dict[str, Any]:
    """The JSON Schema of a policy file."""
    made = msgspec.json.schema(PolicyFile)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Kapture policy", **made}
