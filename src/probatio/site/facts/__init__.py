"""What the pages say, computed from a snapshot before anything is drawn."""
