"""Whether a recording has the documented shape."""
