from probatio.api.asking import Run as Run
from probatio.api.asking import resume as resume
from probatio.api.asking import run as run
from probatio.api.grading import grade as grade
from probatio.api.reading import read as read
from probatio.api.studying import bibtex as bibtex
from probatio.api.studying import compare as compare
from probatio.api.studying import export as export
from probatio.api.studying import figures as figures
from probatio.api.studying import power as power
from probatio.api.studying import study as study

__version__: str
