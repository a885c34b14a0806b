"""The list of events."""
