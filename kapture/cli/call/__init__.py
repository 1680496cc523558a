"""`kapture call`."""
