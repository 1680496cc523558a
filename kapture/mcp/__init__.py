"""The MCP face: tools from the registry, profiles, resources, prompts, transports.

Nothing is imported here: `kapture mcp`, the bridge, uses the light modules `kapture.client.connection` and
`kapture.client.start` and must not pay for the MCP SDK, which only `kapture.mcp.endpoint` and what it uses import.
"""
