"""What crosses a tab's socket: messages, their decoding, and the life cycles of tabs and commands. No I/O here."""
