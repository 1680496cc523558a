"""Recording on a page: what is done on it, and the recorder's widget in it."""
