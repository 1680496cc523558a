"""What is published, made from one source: `python -m release` (`./dev release`)."""
