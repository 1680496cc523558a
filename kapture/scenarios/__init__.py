"""Record, store, resolve and replay scenarios. Nothing yet: the place is kept by the layer order."""
