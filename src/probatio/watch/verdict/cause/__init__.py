"""What a fall is put down to."""
