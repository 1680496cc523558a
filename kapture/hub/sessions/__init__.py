"""The sessions of tabs on their sockets, and what their panels ask for."""
