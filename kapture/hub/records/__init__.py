"""What a hub records of calls, and what it keeps in memory."""
