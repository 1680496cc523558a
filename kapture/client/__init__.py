"""Clients of a hub: the connection, starting a hub, the stdio bridge, the MCP client of the command line."""
