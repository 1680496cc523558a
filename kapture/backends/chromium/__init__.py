"""Browsers that the hub controls over the DevTools protocol itself: those it starts, and those it attaches to."""
