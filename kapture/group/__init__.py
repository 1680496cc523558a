"""A hub as a member of a group of machines that share tabs (docs/REACH.md)."""
