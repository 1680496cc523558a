"""`/console/live`: what the Console shows as it happens, beside the MCP client that it is."""

from kapture.endpoints.console.live import Checks, ConsoleEndpoint

__all__ = ["Checks", "ConsoleEndpoint"]
