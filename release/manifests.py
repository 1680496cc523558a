"""The committed files that say the version, name, address or skill of Kapture, made from `kapture.__about__` and the
registry. Formats: each function names the documentation that it follows."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from kapture import __about__ as about
from kapture.cli.clients.known_clients import config_files
from kapture.cli.skill import skill_text

ROOT = Path(__file__).resolve().parents[1]
PLUGIN = "plugins/kapture"
NAME = "kapture"
PRIVACY = f"{about.REPOSITORY}/blob/main/docs/STORE.md#privacy-policy"
LAUNCH = {"command": "uvx", "args": [about.DISTRIBUTION]}
_AUTHOR = {"name": about.AUTHOR, "url": about.REPOSITORY}
_ABOUT = {
    "name": NAME,
    "version": about.__version__,
    "description": about.SUMMARY,
    "author": _AUTHOR,
    "homepage": about.REPOSITORY,
    "repository": about.REPOSITORY,
    "license": about.LICENSE,
    "keywords": [*about.KEYWORDS],
}


def committed() -> dict[str, str]:
    """Return the text of every generated file in the repository, by its path."""
    servers = {"mcpServers": {NAME: LAUNCH}}
    portable = {"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"}
    data: dict[str, Any] = {
        "server.json": server(),
        "gemini-extension.json": gemini(),
        ".claude-plugin/marketplace.json": claude_marketplace(),
        ".cursor-plugin/marketplace.json": cursor_marketplace(),
        ".agents/plugins/marketplace.json": codex_marketplace(),
        f"{PLUGIN}/.claude-plugin/plugin.json": _ABOUT,
        f"{PLUGIN}/.cursor-plugin/plugin.json": cursor_plugin(),
        f"{PLUGIN}/.codex-plugin/plugin.json": codex_plugin(),
        f"{PLUGIN}/plugin.json": {"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", **_ABOUT},
        f"{PLUGIN}/mcp.json": {**portable, "mcpServers": {NAME: {"type": "stdio", **LAUNCH}}},
        f"{PLUGIN}/.mcp.json": servers,
    }
    texts = {path: as_text(content) for path, content in data.items()}
    texts[f"{PLUGIN}/skills/kapture/SKILL.md"] = skill_text()
    texts["extension/manifest.json"] = _with_version((ROOT / "extension/manifest.json").read_text("utf-8"))
    texts["README.md"] = readme((ROOT / "README.md").read_text("utf-8"))
    return texts


def as_text(content: Mapping[str, Any]) -> str:
    """Return an object as JSON, as the committed files have it."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _with_version(manifest: str) -> str:
    return re.sub(r'"version": "[^"]*"', f'"version": "{about.__version__}"', manifest, count=1)


def server() -> dict[str, Any]:
    """Return the entry of the MCP registry (modelcontextprotocol.io/registry, schema of 2025-12-11)."""
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": about.REGISTRY_NAME,
        "title": about.TITLE,
        "description": about.SUMMARY,
        "version": about.__version__,
        "repository": {"url": about.REPOSITORY, "source": "github"},
        "packages": [
            {
                "registryType": "pypi",
                "identifier": about.DISTRIBUTION,
                "version": about.__version__,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
            }
        ],
    }


def gemini() -> dict[str, Any]:
    """Return the extension of Gemini CLI (geminicli.com/docs/extensions/reference)."""
    return {
        "name": NAME,
        "version": about.__version__,
        "description": about.SUMMARY,
        "mcpServers": {NAME: LAUNCH},
    }


def claude_marketplace() -> dict[str, Any]:
    """Return the marketplace of Claude Code (code.claude.com/docs/en/plugins/marketplace-reference)."""
    entry = {"name": NAME, "source": f"./{PLUGIN}", "description": about.SUMMARY, "category": "productivity"}
    return {
        "name": NAME,
        "owner": {"name": about.AUTHOR},
        "metadata": {"description": about.SUMMARY, "version": about.__version__},
        "plugins": [entry],
    }


def cursor_marketplace() -> dict[str, Any]:
    """Return the marketplace of Cursor (cursor.com/docs/plugins/building)."""
    entry = {"name": NAME, "source": f"./{PLUGIN}", "description": about.SUMMARY}
    return {
        "name": NAME,
        "owner": {"name": about.AUTHOR},
        "metadata": {"description": about.SUMMARY, "version": about.__version__},
        "plugins": [entry],
    }


def cursor_plugin() -> dict[str, Any]:
    """Return the plugin of Cursor. What its manifest does not name is not installed."""
    return {**_ABOUT, "displayName": about.TITLE, "skills": "./skills/", "mcpServers": "./mcp.json"}


def codex_marketplace() -> dict[str, Any]:
    """Return the marketplace of Codex (developers.openai.com/codex/plugins/build)."""
    return {
        "name": NAME,
        "interface": {"displayName": about.TITLE},
        "plugins": [
            {
                "name": NAME,
                "source": {"source": "local", "path": f"./{PLUGIN}"},
                "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                "category": "Productivity",
            }
        ],
    }


def codex_plugin() -> dict[str, Any]:
    """Return the plugin of Codex."""
    return {
        **_ABOUT,
        "skills": "./skills/",
        "mcpServers": "./.mcp.json",
        "interface": {
            "displayName": about.TITLE,
            "shortDescription": "Work in your own browser tabs",
            "longDescription": about.SUMMARY,
            "developerName": about.AUTHOR,
            "category": "Productivity",
            "capabilities": ["Interactive", "Read", "Write"],
            "websiteURL": about.REPOSITORY,
            "privacyPolicyURL": PRIVACY,
        },
    }


def mcpb() -> dict[str, Any]:
    """Return the manifest of the MCP bundle (schema 0.4 of github.com/modelcontextprotocol/mcpb), run by uv."""
    return {
        "manifest_version": "0.4",
        "name": NAME,
        "display_name": about.TITLE,
        "version": about.__version__,
        "description": about.SUMMARY,
        "author": _AUTHOR,
        "repository": {"type": "git", "url": about.REPOSITORY},
        "homepage": about.REPOSITORY,
        "license": about.LICENSE,
        "keywords": [*about.KEYWORDS],
        "icon": "icon.png",
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {"command": "uv", "args": ["run", "--directory", "${__dirname}", "server.py"]},
        },
        "tools_generated": True,
        "privacy_policies": [PRIVACY],
        "compatibility": {"platforms": ["darwin", "win32", "linux"], "runtimes": {"python": ">=3.11"}},
    }


def mcpb_project(wheel: str) -> str:
    """Return the pyproject.toml of the MCP bundle, which holds this wheel."""
    return f"""\
[project]
name = "kapture-bundle"
version = "{about.__version__}"
requires-python = ">=3.11"
dependencies = ["{about.DISTRIBUTION}"]

[tool.uv]
package = false

[tool.uv.sources]
{about.DISTRIBUTION} = {{ path = "{wheel}" }}
"""


MCPB_SERVER = '''"""Starts Kapture's MCP server."""

from kapture.__main__ import mcp

mcp()
'''


# README


def readme(text: str) -> str:
    """Return the README with its generated parts."""
    for name, lines in {"install": _install(), "registry": [f"mcp-name: {about.REGISTRY_NAME}"]}.items():
        start, end = (f"<!-- {name}: made by ./dev release --write", "-->") if name == "registry" else _marks(name)
        part = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
        found = part.search(text)
        if found is None:
            raise ValueError(f"README.md has no part {name!r}.")
        text = text[: found.start()] + "\n".join([start, *lines, end]) + text[found.end() :]
    return text


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: made by ./dev release --write -->", f"<!-- /{name} -->"


def _install() -> list[str]:
    links = " · ".join(f"[{title}]({link})" for title, link in deep_links().items())
    rows = [f"| {title} | {line} |" for title, line in lines().items()]
    return [
        f"One click, with [uv](https://docs.astral.sh/uv/) installed: {links}",
        "",
        "| client | one line |",
        "| --- | --- |",
        *rows,
    ]


def deep_links() -> dict[str, str]:
    """Return the links that add the server to a client: pages of the vendors, as GitHub shows https links only."""
    encoded = base64.b64encode(json.dumps(LAUNCH, separators=(",", ":")).encode()).decode()
    vscode = quote(json.dumps({"name": NAME, **LAUNCH}, separators=(",", ":")), safe="")
    goose = [("cmd", LAUNCH["command"]), ("arg", about.DISTRIBUTION), ("id", NAME), ("name", about.TITLE)]
    return {
        "Cursor": "https://cursor.com/en/install-mcp?" + urlencode({"name": NAME, "config": encoded}),
        "VS Code": "https://insiders.vscode.dev/redirect?url=" + quote(f"vscode:mcp/install?{vscode}", safe=""),
        "LM Studio": "https://lmstudio.ai/install-mcp?" + urlencode({"name": NAME, "config": encoded}),
        "Goose": "https://block.github.io/goose/extension?"
        + urlencode([*goose, ("description", "Work in your own browser tabs")], quote_via=quote),
    }


def lines() -> dict[str, str]:
    """Return the line by which each client gets Kapture."""
    repository = about.REPOSITORY.removeprefix("https://github.com/")
    package = f"uvx {about.DISTRIBUTION}"
    own = {
        "claude-code": f"`claude plugin marketplace add {repository} && claude plugin install {NAME}@{NAME}`, "
        f"or `claude mcp add {NAME} -- {package}`",
        "vscode": f"`code --add-mcp '{json.dumps({'name': NAME, **LAUNCH})}'`",
        "codex": f"`codex plugin marketplace add {repository}`, or `codex mcp add {NAME} -- {package}`",
        "gemini": f"`gemini extensions install {about.REPOSITORY}`, or `gemini mcp add {NAME} {package}`",
        "claude-desktop": f"open `{NAME}-{about.__version__}.mcpb`, "
        f"or `uvx --from {about.DISTRIBUTION} kapture install claude-desktop`",
    }
    found = {}
    for client, config in config_files("linux", {"HOME": "/"}).items():
        found[config.title] = own.get(client, f"`uvx --from {about.DISTRIBUTION} kapture install {client}`")
    found["Goose"] = f"`goose session --with-extension '{package}'`"
    found["any other"] = f'command `uvx`, arguments `["{about.DISTRIBUTION}"]`'
    return found
