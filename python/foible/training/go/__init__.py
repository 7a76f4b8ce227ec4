"""What the training of Go nets has of its own."""
