"""The site: the same pages live and as a static build, from the results folder."""
