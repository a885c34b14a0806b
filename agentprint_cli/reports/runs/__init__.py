"""The runs of a recording."""
