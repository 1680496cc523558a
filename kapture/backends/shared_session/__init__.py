"""One CDP session of a tab that a script uses through several sessions of its own."""
