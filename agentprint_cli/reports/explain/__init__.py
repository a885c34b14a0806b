"""What was in front of the model when it answered, and what each call returned."""
