"""The pages: one module per kind of page, each a function from a request to a reply."""
