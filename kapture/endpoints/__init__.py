"""Further ways to the hub beside tabs and MCP clients, each at a path of its own."""
