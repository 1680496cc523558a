"""Browsers that the hub reaches over the DevTools protocol itself: those it starts, and those it attaches to."""
