"""Files into a page and out of it."""
