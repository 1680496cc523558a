"""Where the hub keeps its files. Separate from the settings: the bridge needs no others and must start fast."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

REMOTE = "remote"
"""The folder in the data folder with a folder for each hub that is shared with this machine."""
SHARES = "shares"
"""The folder in the data folder with a folder for each share of this machine's hub that containers mount."""
SHARED_FILES = "shared-files"
"""The folder in the data folder with the uploads and downloads of each share. No container mounts it: who writes to the
folders themselves can make them links to others."""


def data_folder(environment: Mapping[str, str] | None = None) -> Path:
    """`KAPTURE_HOME`, else the platform's folder for a user's program data.

    `CHROME_MCP_DATA`, of the system that the profile `chrome` replaces, is used when `KAPTURE_HOME` is not set.
    """
    environment = os.environ if environment is None else environment
    if home := environment.get("KAPTURE_HOME") or environment.get("CHROME_MCP_DATA"):
        return Path(home).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("kapture", appauthor=False)
