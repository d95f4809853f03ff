"""Probatio: can a model learn this language, and is it still what it was?"""

__version__ = "0.1.0"
