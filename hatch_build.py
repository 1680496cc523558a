"""Puts the commit that a wheel or an sdist is built from into it, for `kapture --version`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FILE = "kapture/_data/commit"


class CommitHook(BuildHookInterface):  # type: ignore[type-arg]
    """An sdist carries the file on to the wheels that are built from it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file, where git knows the commit."""
        root = Path(self.root)
        if version == "editable" or not (root / ".git").exists():
            return
        try:
            commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return
        found = Path(self.directory) / f".{self.target_name}-commit"
        found.parent.mkdir(parents=True, exist_ok=True)
        found.write_text(commit.stdout)
        build_data["force_include"][str(found)] = _FILE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary file."""
        (Path(self.directory) / f".{self.target_name}-commit").unlink(missing_ok=True)
