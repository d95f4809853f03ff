"""The names of all files in the results folder. They are an interface: others read and write them too."""

RUN_FILE = "run.json"
ANSWERS = "raw_responses.jsonl"
GRADES = "graded_results.jsonl"
SET_ASIDE = "errors.jsonl"
"""Trials that could not be asked and were asked again later: out of the run, not out of the record."""
ANALYSIS = "analysis.md"

DAILY = "daily"
"""The folder of days; each day is a folder named after its date."""
DAY_FILE = "day.json"
JUDGE_REPLIES = "judge_responses.jsonl"
SCORES = "scores.jsonl"
LEDGER = "ledger.jsonl"
ALERTS = "alerts.json"

LOCK = ".lock"
RESERVE = ".reserve"
