"""Compares Kapture with other MCP servers."""
