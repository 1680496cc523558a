"""Scripts that keep a page busy, and terminating them."""
