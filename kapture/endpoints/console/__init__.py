"""`/console/live`: live state for the Console, besides its connection as an MCP client."""

from kapture.endpoints.console.live import Checks, Commands, ConsoleEndpoint

__all__ = ["Checks", "Commands", "ConsoleEndpoint"]
