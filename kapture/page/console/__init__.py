"""A tab's console: its entries, and their text."""
