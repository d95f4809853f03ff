"""The browser: one Chromium in a jail, in which a model's web page is rendered and used."""
