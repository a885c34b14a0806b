"""agentprint: forensics for recorded runs of tool-using agents."""

__version__ = "0.1.0"
