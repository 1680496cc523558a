"""The sockets of tabs: handshake, heartbeat, rate limit and end."""
