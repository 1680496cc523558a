"""Flags of the Chrome MCP blueprint, which existing configurations pass to the server: `kapture mcp` accepts them.

They are settings of the hub, so they apply to a hub that the bridge starts, not to one that is running already.
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
    """Add the blueprint's options to a command, hidden from its help: `kapture serve` has options of its own for
    them."""
    for name in _SETTINGS:
        command = click.option(f"--{name.replace('_', '-')}", is_flag=True, hidden=True)(command)
    command = click.option("--prefer", type=click.Choice(list(_PREFER)), hidden=True)(command)
    for name in ("print-pairing", "print-extension-path"):
        command = click.option(f"--{name}", is_flag=True, hidden=True)(command)
    return command


def apply(
    flags: Mapping[str, Any], environment: MutableMapping[str, str] | None = None, *, profile: str | None = None
) -> bool:
    """Set them in the environment of a hub that may be started; returns whether there is nothing else to do.

    Settings that the person has made for Kapture itself take precedence. As in the blueprint, the profile `chrome`
    launches a browser where no tab answers, unless a flag says otherwise.
    """
    environment = os.environ if environment is None else environment
    chosen: dict[str, str] = {"KAPTURE_FALLBACK": "launch"} if profile == "chrome" else {}
    chosen |= _PREFER.get(flags.get("prefer") or "", {})
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
