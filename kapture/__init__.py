"""Kapture: MCP clients drive a person's own browser tabs through one local hub."""

from kapture.__about__ import __version__

__all__ = ["__version__"]
