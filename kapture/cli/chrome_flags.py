"""Flags of the Chrome MCP blueprint, which configurations written for it pass to the server: `kapture mcp` takes them.

They set how the hub runs. So they count for a hub that the bridge starts, and not for one that runs already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])

_SETTINGS: Mapping[str, Mapping[str, str]] = {
    "no_cdp_fallback": {"KAPTURE_FALLBACK": "none"},
    "unsafe_all_domains": {"KAPTURE_UNSAFE_ALL_SITES": "true"},
    "unsafe_enable_eval": {"KAPTURE_SAFE_MODE": "false"},
    "enable_mutations": {"KAPTURE_SAFE_MODE": "false"},
}
_PREFER: Mapping[str, Mapping[str, str]] = {
    "extension": {"KAPTURE_PREFER": "extension"},
    "cdp": {"KAPTURE_PREFER": "launch", "KAPTURE_FALLBACK": "launch"},
}


def chrome_flags(command: _F) -> _F:
    """Give a command the blueprint's options, hidden from its help: what they do has options of `kapture serve`."""
    for name in _SETTINGS:
        command = click.option(f"--{name.replace('_', '-')}", is_flag=True, hidden=True)(command)
    command = click.option("--prefer", type=click.Choice(list(_PREFER)), hidden=True)(command)
    for name in ("print-pairing", "print-extension-path"):
        command = click.option(f"--{name}", is_flag=True, hidden=True)(command)
    return command


def apply(flags: Mapping[str, Any], environment: MutableMapping[str, str] | None = None) -> bool:
    """Put what is set into the environment of a hub that may be started; whether there is nothing else to do.

    What the person has set for Kapture itself stays.
    """
    environment = os.environ if environment is None else environment
    chosen: dict[str, str] = dict(_PREFER.get(flags.get("prefer") or "", {}))
    for name, values in _SETTINGS.items():
        chosen |= values if flags.get(name) else {}
    for variable, value in chosen.items():
        environment.setdefault(variable, value)
    if flags.get("print_extension_path"):
        from kapture.package_files import extension_folder

        click.echo(extension_folder())
        return True
    if flags.get("print_pairing"):
        from kapture.data_folder import data_folder
        from kapture.pairing.key_file import FILE_NAME

        click.echo(f"{data_folder() / FILE_NAME}: choose it in the extension's options, or run `kapture install-host`.")
        return True
    return False
