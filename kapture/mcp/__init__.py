"""The MCP face: tools from the registry, profiles, resources, prompts, transports.

Nothing is imported here: `kapture mcp`, the bridge, uses the light modules `kapture.mcp.link` and
`kapture.mcp.start` and must not pay for the MCP SDK, which only `kapture.mcp.face` and what it uses import.
"""
