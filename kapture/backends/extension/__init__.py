"""Tabs of the Kapture extension: CDP over their own sockets."""
