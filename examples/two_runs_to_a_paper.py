# %% [markdown]
# # From two runs to a table and a figure for a paper
#
# Open this file as a notebook (Jupyter and VS Code read `# %%` as cells), or run it:
#
#     python examples/two_runs_to_a_paper.py RUN-A RUN-B --results results --out paper
#
# A test runs it as it stands.

# %%
import argparse

import duckdb

import probatio

given = argparse.ArgumentParser()
given.add_argument("a")
given.add_argument("b")
given.add_argument("--results", default="results")
given.add_argument("--out", default="paper")
# In a notebook, write the names of your runs here instead: given.parse_args(["monday", "tuesday"]).
asked = given.parse_args()

# %% [markdown]
# The trials of both runs, as a DuckDB relation. A relation is also a pandas or a polars frame: `trials.df()`,
# `trials.pl()`.

# %%
trials = probatio.read(asked.a, asked.b, results=asked.results)
print(
    duckdb.sql(
        "select run, model, count(*) as trials, round(100 * avg(correct::int), 1) as passed, "
        "sum(tokens_out) as tokens_out "
        "from trials where asked group by all order by all"
    )
)

# %% [markdown]
# The difference, paired by trial: effect, interval, p.

# %%
comparison = probatio.compare(asked.a, asked.b, results=asked.results)
print(comparison)

# %% [markdown]
# How sure could one have been to see five points with these tasks? The first run is the pilot.

# %%
plan = probatio.power(asked.a, asked.b, delta=5, rate=50, results=asked.results)
print(f"5 points would be seen with a chance of {100 * plan.power.chance:.0f} %.")

# %% [markdown]
# Tables as LaTeX, figures as PDF and SVG in the width of a column, and BibTeX of the suite.
# `study.tex` in the folder reads them all in.

# %%
written = probatio.export(
    asked.a,
    asked.b,
    out=asked.out,
    formats=["latex", "csv"],
    figures=["pdf", "svg"],
    compared=comparison,
    results=asked.results,
)
for file in written:
    print(file)
