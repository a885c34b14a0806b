"""Which results the model could name."""
