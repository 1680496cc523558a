"""The network of a tab: its requests, their bodies, and routes that block or mock them."""
