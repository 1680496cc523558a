"""The hub's end of a WebSocket: frames, the upgrade request, and the open connection."""
