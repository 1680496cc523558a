"""The MCP server: tools from the registry, profiles, resources, prompts, transports.

Nothing is imported here: `kapture mcp` and `kapture call` use `kapture.mcp.options`, and must not wait for the MCP SDK,
which `kapture.mcp.endpoint` and the modules that it uses import.
"""
