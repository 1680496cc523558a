"""Measures a hub from outside, as its users experience it: processes, sockets, simulated tabs, load, and charts."""
