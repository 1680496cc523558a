"""What is published: the committed files are those that `./dev release --write` makes, and keep the rules of those who
read them. The rules are written here from the readers' documentation; `release/manifests.py` names it."""

from __future__ import annotations

import base64
import json
import re
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from kapture.__about__ import DISTRIBUTION, EXTENSION_IDS, REGISTRY_NAME, REPOSITORY, __version__
from kapture.cli.clients.known_clients import config_files
from release import docs, manifests
from release.__main__ import stale_files
from release.manifests import LAUNCH, PLUGIN, ROOT

TEXT = {"type": "string", "minLength": 1}
URL = {"type": "string", "pattern": r"^https://[^\s]+$"}
VERSION = {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}
KEBAB = {"type": "string", "pattern": r"^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64}
INSIDE = {"type": "string", "pattern": r"^\./(?!.*\.\.)"}
PERSON = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": TEXT, "email": TEXT, "url": URL},
    "additionalProperties": False,
}


def closed(required: str, **properties: Any) -> dict[str, Any]:
    """An object with these properties and no others."""
    return {"type": "object", "required": required.split(), "properties": properties, "additionalProperties": False}


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1}


ABOUT = {
    "name": KEBAB,
    "version": VERSION,
    "description": TEXT,
    "author": PERSON,
    "homepage": URL,
    "repository": URL,
    "license": TEXT,
    "keywords": array(TEXT),
}
STDIO = closed("command", type={"const": "stdio"}, command=TEXT, args=array(TEXT), env={"type": "object"})
SERVERS = {"type": "object", "additionalProperties": STDIO, "minProperties": 1}
MARKETPLACE = closed(
    "name owner plugins",
    name=KEBAB,
    owner=PERSON,
    metadata=closed("", description=TEXT, version=VERSION, pluginRoot=INSIDE),
    plugins=array(closed("name source", name=KEBAB, source=INSIDE, description=TEXT, category=TEXT)),
)
RULES: dict[str, Any] = {
    "server.json": closed(
        "$schema name description version",
        **{
            "$schema": {
                "pattern": r"^https://static\.modelcontextprotocol\.io/schemas/\d{4}-\d\d-\d\d/server\.schema\.json$"
            }
        },
        name={"type": "string", "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
        title={"type": "string", "minLength": 1, "maxLength": 100},
        description={"type": "string", "minLength": 1, "maxLength": 100},
        version={**VERSION, "maxLength": 255},
        repository=closed("url source", url=URL, source={"const": "github"}),
        packages=array(
            closed(
                "registryType identifier version transport",
                registryType={"const": "pypi"},
                identifier=TEXT,
                version=VERSION,
                runtimeHint={"const": "uvx"},
                transport=closed("type", type={"const": "stdio"}),
            )
        ),
    ),
    "gemini-extension.json": closed(
        "name version", name=KEBAB, version=VERSION, description=TEXT, mcpServers=SERVERS, contextFileName=TEXT
    ),
    ".claude-plugin/marketplace.json": MARKETPLACE,
    ".cursor-plugin/marketplace.json": MARKETPLACE,
    ".agents/plugins/marketplace.json": closed(
        "name plugins",
        name=KEBAB,
        interface=closed("displayName", displayName=TEXT),
        plugins=array(
            closed(
                "name source policy category",
                name=KEBAB,
                source=closed("source path", source={"const": "local"}, path=INSIDE),
                policy=closed(
                    "installation authentication",
                    installation={"enum": ["NOT_AVAILABLE", "AVAILABLE", "INSTALLED_BY_DEFAULT"]},
                    authentication={"enum": ["ON_INSTALL", "ON_USE"]},
                ),
                category=TEXT,
            )
        ),
    ),
    f"{PLUGIN}/.claude-plugin/plugin.json": closed("name", **ABOUT),
    f"{PLUGIN}/.cursor-plugin/plugin.json": closed("name", **ABOUT, displayName=TEXT, skills=INSIDE, mcpServers=INSIDE),
    f"{PLUGIN}/.codex-plugin/plugin.json": closed(
        "name version description",
        **ABOUT,
        skills=INSIDE,
        mcpServers=INSIDE,
        interface=closed(
            "displayName shortDescription developerName category",
            displayName=TEXT,
            shortDescription=TEXT,
            longDescription=TEXT,
            developerName=TEXT,
            category=TEXT,
            capabilities=array(TEXT),
            websiteURL=URL,
            privacyPolicyURL=URL,
        ),
    ),
    f"{PLUGIN}/plugin.json": closed(
        "$schema name", **ABOUT, **{"$schema": {"const": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"}}
    ),
    f"{PLUGIN}/mcp.json": closed(
        "$schema mcpServers",
        mcpServers=SERVERS,
        **{"$schema": {"const": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"}},
    ),
    f"{PLUGIN}/.mcp.json": closed("mcpServers", mcpServers=SERVERS),
}
MCPB = closed(
    "manifest_version name version description author server",
    **{name: rule for name, rule in ABOUT.items() if name != "repository"},
    manifest_version={"const": "0.4"},
    display_name=TEXT,
    repository=closed("type url", type=TEXT, url=URL),
    icon=TEXT,
    server=closed(
        "type entry_point mcp_config",
        type={"const": "uv"},
        entry_point=TEXT,
        mcp_config=closed("command", command=TEXT, args=array(TEXT), env={"type": "object"}),
    ),
    tools_generated={"type": "boolean"},
    privacy_policies=array(URL),
    compatibility=closed(
        "",
        platforms=array({"enum": ["darwin", "win32", "linux"]}),
        runtimes=closed("", python=TEXT, node=TEXT),
    ),
)
GENERATED = manifests.committed()


def test_generated_files_are_as_they_would_be_made_now() -> None:
    assert stale_files() == [], "run ./dev release --write"


@pytest.mark.parametrize("path", [path for path in GENERATED if path.endswith(".json") and "extension/" not in path])
def test_manifest_keeps_the_rules_of_its_reader(path: str) -> None:
    content = json.loads(GENERATED[path])
    assert [error.message for error in Draft7Validator(RULES[path]).iter_errors(content)] == []
    for found in re.findall(r'"(\./[^"]*)"', GENERATED[path]):
        base = ROOT if "marketplace" in path else ROOT / PLUGIN
        assert (base / found).exists(), found


def test_bundle_keeps_the_rules_of_its_schema() -> None:
    assert [error.message for error in Draft7Validator(MCPB).iter_errors(manifests.mcpb())] == []


def test_registry_finds_its_name_in_the_readme() -> None:
    assert f"mcp-name: {REGISTRY_NAME}\n" in GENERATED["README.md"]
    assert urlsplit(REPOSITORY).path.split("/")[1] == REGISTRY_NAME.partition("/")[0].removeprefix("io.github.")


def test_links_of_the_readme_start_the_server() -> None:
    links = manifests.deep_links()
    for client in ("Cursor", "LM Studio"):
        query = parse_qs(urlsplit(links[client]).query)
        assert query["name"] == ["kapture"]
        assert json.loads(base64.b64decode(query["config"][0])) == LAUNCH
    (redirected,) = parse_qs(urlsplit(links["VS Code"]).query)["url"]
    assert json.loads(unquote(redirected.removeprefix("vscode:mcp/install?"))) == {"name": "kapture", **LAUNCH}
    goose = parse_qs(urlsplit(links["Goose"]).query)
    assert [*goose["cmd"], *goose["arg"]] == [LAUNCH["command"], *LAUNCH["args"]]


def test_every_known_client_has_a_line_in_the_readme() -> None:
    for config in config_files().values():
        assert f"| {config.title} | " in GENERATED["README.md"]


def test_versions_and_ids_are_said_once() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE)
    assert json.loads(GENERATED["extension/manifest.json"])["version"] == __version__
    native_host = (ROOT / "kapture" / "pairing" / "native_host.py").read_text("utf-8")
    assert f"chrome-extension://{EXTENSION_IDS[0]}/" in native_host
    assert f'name = "{DISTRIBUTION}"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_every_permission_of_the_extension_has_its_reason() -> None:
    manifest = json.loads(GENERATED["extension/manifest.json"])
    reasons = dict(
        re.findall(r"^\| `([\w.]+)` \| (.{20,}) \|$", (ROOT / "docs" / "STORE.md").read_text("utf-8"), re.MULTILINE)
    )
    assert sorted(reasons) == sorted(manifest["permissions"])
    assert not {"host_permissions", "optional_permissions", "content_scripts"} & manifest.keys()


def test_site_shows_every_page_once() -> None:
    shown = [page for section in docs.configuration(ROOT)["nav"] for pages in section.values() for page in pages]
    assert len(shown) == len(set(shown))
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= {*shown}
    assert all((ROOT / page).is_file() for page in shown)


def test_workflows_only_call_dev() -> None:
    for workflow in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        commands = re.findall(r"^ +(?:- )?run: (.*)$", workflow.read_text("utf-8"), re.MULTILINE)
        assert commands
        assert all(command.startswith("./dev ") for command in commands), commands
