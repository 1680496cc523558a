"""Endpoints of the hub other than those for tabs and MCP clients, each with a path of its own."""
