"""The browser: one jailed Chromium in which a model's web page is rendered and used."""
