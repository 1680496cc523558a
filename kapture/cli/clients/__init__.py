"""The configuration of MCP clients: finding it, adding Kapture to it, removing it."""
