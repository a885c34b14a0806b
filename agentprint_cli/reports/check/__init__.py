"""The gates' verdicts, for CI."""
