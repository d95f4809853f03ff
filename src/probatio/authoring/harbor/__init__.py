"""Tasks as task folders of Harbor, and back."""
