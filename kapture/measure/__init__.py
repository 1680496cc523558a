"""Measuring a hub from outside, as its users meet it: processes, sockets, simulated tabs, load, and charts of it."""
