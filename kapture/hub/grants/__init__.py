"""Policy and grants, applied to calls."""
