"""The messages on a tab's socket, their decoding, and the life cycle of a tab. No I/O here."""
