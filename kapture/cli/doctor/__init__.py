"""`kapture doctor`: its checks and their results."""
