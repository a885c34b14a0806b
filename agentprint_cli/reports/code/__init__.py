"""What the model's programs did."""
