"""Where MCP clients keep their list of servers, and the format of an entry."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from kapture.__about__ import DISTRIBUTION

Launch = Sequence[str]
Entry = dict[str, Any]


@attrs.frozen
class OwnCommand:
    """A client's own command line for its list of servers: the arguments that add an entry, or None if it cannot carry
    all its fields, and those that remove one (None: there is no such command)."""

    program: str
    add: Callable[[str, Entry], list[str] | None]
    remove: Callable[[str], list[str]] | None = None


@attrs.frozen(kw_only=True)
class ConfigFile:
    """One client's file. `member` is the path of the object with its servers; `entry` makes one. `skills` is its folder
    of skills for this user, where its vendor documents one."""

    client: str
    title: str
    path: Path
    member: tuple[str, ...]
    entry: Callable[[Launch, Mapping[str, str]], Entry]
    format: Literal["json", "toml"] = "json"
    command: OwnCommand | None = None
    after: str = "Restart it."
    skills: Path | None = None


def _plain(launch: Launch, environment: Mapping[str, str]) -> Entry:
    entry: Entry = {"command": launch[0], "args": list(launch[1:])}
    if environment:
        entry["env"] = dict(environment)
    return entry


def _typed(launch: Launch, environment: Mapping[str, str]) -> Entry:
    return {"type": "stdio", **_plain(launch, environment)}


def _copilot(launch: Launch, environment: Mapping[str, str]) -> Entry:
    return {"type": "local", **_plain(launch, environment), "tools": ["*"]}


def _opencode(launch: Launch, environment: Mapping[str, str]) -> Entry:
    entry: Entry = {"type": "local", "command": list(launch), "enabled": True}
    if environment:
        entry["environment"] = dict(environment)
    return entry


def _zed(launch: Launch, environment: Mapping[str, str]) -> Entry:
    return {"source": "custom", **_plain(launch, environment)}


def _gemini(name: str, entry: Entry) -> list[str] | None:
    if not entry.keys() <= {"command", "args", "env"}:
        return None
    variables = [word for key, value in entry.get("env", {}).items() for word in ("-e", f"{key}={value}")]
    return ["mcp", "add", "--scope", "user", *variables, name, entry["command"], "--", *entry["args"]]


def _vscode(program: str) -> OwnCommand:
    return OwnCommand(program, lambda name, entry: ["--add-mcp", json.dumps({"name": name, **entry})])


# Documented by the vendors. `claude mcp add-json` refuses a name that is there already.
_CLAUDE_CODE = OwnCommand(
    "claude",
    lambda name, entry: ["mcp", "add-json", "--scope", "user", name, json.dumps(entry)],
    lambda name: ["mcp", "remove", "--scope", "user", name],
)
_GEMINI = OwnCommand("gemini", _gemini, lambda name: ["mcp", "remove", "--scope", "user", name])


def config_files(platform: str = sys.platform, environment: Mapping[str, str] | None = None) -> dict[str, ConfigFile]:
    """Every known client on this platform for this user, by its name for `kapture install`."""
    env = os.environ if environment is None else environment
    home = _home(platform, env)
    data = _application_data(platform, env, home)
    claude = Path(env["CLAUDE_CONFIG_DIR"]) if env.get("CLAUDE_CONFIG_DIR") else home
    codex = Path(env["CODEX_HOME"]) if env.get("CODEX_HOME") else home / ".codex"
    dot_config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    zed = data / "Zed" if platform == "win32" else dot_config / "zed"
    servers = ("mcpServers",)
    known = [
        ConfigFile(
            client="claude-desktop",
            title="Claude Desktop",
            path=data / "Claude" / "claude_desktop_config.json",
            member=servers,
            entry=_plain,
            after="Quit it altogether and start it again.",
        ),
        ConfigFile(
            client="claude-code",
            title="Claude Code",
            path=claude / ".claude.json",
            member=servers,
            entry=_typed,
            command=_CLAUDE_CODE,
            skills=(claude if env.get("CLAUDE_CONFIG_DIR") else home / ".claude") / "skills",
        ),
        ConfigFile(
            client="cursor",
            title="Cursor",
            path=home / ".cursor" / "mcp.json",
            member=servers,
            entry=_plain,
            skills=home / ".cursor" / "skills",
        ),
        ConfigFile(
            client="vscode",
            title="Visual Studio Code",
            path=data / "Code" / "User" / "mcp.json",
            member=("servers",),
            entry=_typed,
            command=_vscode("code"),
            skills=home / ".copilot" / "skills",
            after="Run `MCP: List Servers` from its command palette to start it.",
        ),
        ConfigFile(
            client="vscode-insiders",
            title="Visual Studio Code Insiders",
            path=data / "Code - Insiders" / "User" / "mcp.json",
            member=("servers",),
            entry=_typed,
            command=_vscode("code-insiders"),
            skills=home / ".copilot" / "skills",
            after="Run `MCP: List Servers` from its command palette to start it.",
        ),
        ConfigFile(
            client="windsurf",
            title="Windsurf",
            path=home / ".codeium" / "windsurf" / "mcp_config.json",
            member=servers,
            entry=_plain,
            skills=home / ".codeium" / "windsurf" / "skills",
        ),
        ConfigFile(
            client="codex",
            title="Codex",
            path=codex / "config.toml",
            member=("mcp_servers",),
            entry=_plain,
            format="toml",
            skills=home / ".agents" / "skills",
        ),
        ConfigFile(
            client="gemini",
            title="Gemini CLI",
            path=home / ".gemini" / "settings.json",
            member=servers,
            entry=_plain,
            command=_GEMINI,
            skills=home / ".gemini" / "skills",
        ),
        ConfigFile(
            client="copilot",
            title="GitHub Copilot CLI",
            path=home / ".copilot" / "mcp-config.json",
            member=servers,
            entry=_copilot,
            skills=home / ".copilot" / "skills",
        ),
        ConfigFile(client="zed", title="Zed", path=zed / "settings.json", member=("context_servers",), entry=_zed),
        ConfigFile(
            client="kiro",
            title="Kiro",
            path=home / ".kiro" / "settings" / "mcp.json",
            member=servers,
            entry=_plain,
            skills=home / ".kiro" / "skills",
        ),
        ConfigFile(
            client="opencode",
            title="opencode",
            path=dot_config / "opencode" / "opencode.json",
            member=("mcp",),
            entry=_opencode,
            skills=dot_config / "opencode" / "skills",
        ),
        ConfigFile(
            client="lm-studio",
            title="LM Studio",
            path=home / ".lmstudio" / "mcp.json",
            member=servers,
            entry=_plain,
        ),
    ]
    return {file.client: file for file in known}


def launch_command(options: Sequence[str] = ()) -> list[str]:
    """How a client starts the bridge: by an absolute path, because most clients do not use the shell's PATH.

    Through `uvx` where this runs from its cache, which may be emptied.
    """
    if runs_from_cache():
        return [shutil.which("uvx") or "uvx", DISTRIBUTION, *options]
    beside = Path(sys.executable).with_name("kapture.exe" if os.name == "nt" else "kapture")
    found = str(beside) if beside.is_file() else shutil.which("kapture")
    program = [str(Path(found).absolute())] if found else [sys.executable, "-m", "kapture"]
    return [*program, "mcp", *options]


def runs_from_cache(prefix: str = sys.prefix) -> bool:
    """Whether this environment is one that `uvx` made in uv's cache."""
    return any((folder / "CACHEDIR.TAG").is_file() for folder in Path(prefix).parents)


def launch_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables set in this shell that the hub needs and a client would not have. They hold only paths and ports."""
    env = os.environ if environment is None else environment
    return {name: env[name] for name in ("KAPTURE_HOME", "KAPTURE_PORT") if env.get(name)}


def _home(platform: str, env: Mapping[str, str]) -> Path:
    named = env.get("USERPROFILE") if platform == "win32" else env.get("HOME")
    return Path(named) if named else Path.home()


def _application_data(platform: str, env: Mapping[str, str], home: Path) -> Path:
    if platform == "win32":
        return Path(env.get("APPDATA") or home / "AppData" / "Roaming")
    if platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(env.get("XDG_CONFIG_HOME") or home / ".config")
