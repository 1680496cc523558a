"""The name, version and addresses of Kapture. pyproject.toml, the extension and every manifest of a release are made
from this file (`python -m release`)."""

from __future__ import annotations

__version__ = "0.2.0"

DISTRIBUTION = "kapture-mcp"  # on PyPI, where `kapture` is another project's
TITLE = "Kapture"
SUMMARY = "Let an AI agent work in your own browser tabs: a local hub, a Chrome extension and an MCP server."
AUTHOR = "The Kapture contributors"
LICENSE = "MIT"
KEYWORDS = ("mcp", "browser", "automation", "chrome", "devtools", "trio")

# The extension's ids: that of the key in extension/manifest.json, then that of the store, once it has given one.
EXTENSION_IDS = ("jjllhgagajepglkofmhapipikepcofkp",)

# The owner's: set these two before the first publication, then run `./dev release --write`.
REPOSITORY = "https://github.com/kapture-mcp/kapture"
REGISTRY_NAME = "io.github.kapture-mcp/kapture"  # in the MCP registry, whose namespace is the GitHub account
