from probatio.api import Run as Run
from probatio.api import bibtex as bibtex
from probatio.api import compare as compare
from probatio.api import export as export
from probatio.api import figures as figures
from probatio.api import grade as grade
from probatio.api import power as power
from probatio.api import read as read
from probatio.api import resume as resume
from probatio.api import run as run
from probatio.api import study as study

__version__: str
