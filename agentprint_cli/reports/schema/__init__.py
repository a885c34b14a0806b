"""The list of schemas."""
