"""Which threshold suits the recorded choices."""
