"""The one port: listener, request heads, upgrades and HTTP routes. Composes the hub with what is served on it."""
