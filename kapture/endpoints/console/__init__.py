"""`/console/live`: what the Console shows as it happens, beside the MCP client that it is."""

from kapture.endpoints.console.live import Checks, Commands, ConsoleEndpoint

__all__ = ["Checks", "Commands", "ConsoleEndpoint"]
