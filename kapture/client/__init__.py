"""What connects to a hub: the connection, starting a hub, the stdio bridge, MCP clients for the command line."""
