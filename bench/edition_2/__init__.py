"""Edition 2 of the evidence, kept as it is to compare a later edition with: code, constants and saved
figures.

`operating_characteristics.json` has what it did over 200 models and 365 days, and edition 1 beside it
(`first`). `bench/editions.py` runs it on the same simulated days as the evidence of today.
"""
