"""Kapture: MCP clients drive a person's own browser tabs through one local hub."""

__version__ = "0.1.0"
