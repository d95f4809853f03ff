"""What every room stands on: records, settings, errors, files, text, statistics."""
