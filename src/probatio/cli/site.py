"""`probatio site`: the results as web pages, served, written as files, or as a demo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from probatio.cli import options
from probatio.cli.grammar import Verb
from probatio.core.extras import require_extra

OWN_BENCH = Path("config/bench.yml")

bench_option = options.path_option(
    "--bench",
    "The file of public benchmark results.  [default: bench.yml of the results, else config/bench.yml, "
    "else the built-in one]",
    only="file",
)


@click.command(cls=Verb, no_args_is_help=True)
def command() -> None:
    """Show the results as a web site: the verdicts of today, every raw sample, the learnability explorer.

    \b
    Examples:
      probatio site demo && probatio site serve --results results-demo
      probatio site serve                       http://127.0.0.1:8000
      probatio site build --out site            files for any web server
    """


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@options.names_option(
    "--host-name",
    "host_names",
    "A further name that readers open the site by, such as that of a proxy. Requests for other names than "
    "these, --host and this machine's own get no page.",
    metavar="NAME",
)
@options.value_option("--port", click.IntRange(0, 65535), 8000, "Port to listen on.")
@bench_option
@options.results
def serve(host: str, host_names: tuple[str, ...], port: int, bench: Path | None, results: Path) -> None:
    """Serve the site, read-only. It follows changes of the results folder.

    \b
    Examples:
      probatio site serve --results results --port 8000
      probatio site serve --host 0.0.0.0 --host-name watch.example
    """
    require_extra("site")
    from probatio.site.live import LiveSite
    from probatio.site.live import serve as run
    from probatio.site.snapshot import load_site

    options.say_ahead(results, options.warn)
    figures = _bench(bench, results)
    options.say_unknown(results)
    live = LiveSite(lambda: load_site(results, bench=figures), results, figures)
    click.echo(f"Serving {results} at http://{host}:{port}/ (end with Ctrl-C)")
    run(live, host, port, host_names)


@click.command()
@options.path_option("--out", "The folder to write.", default=Path("site"))
@options.value_option(
    "--sample-days",
    click.IntRange(0),
    14,
    "Write pages for the samples of this many last days, and of all days on which a verdict changed.",
)
@click.option(
    "--base-url",
    default="",
    metavar="URL",
    help="The address of the published site, for absolute links in the feed.",
)
@options.as_json
@bench_option
@options.results_or_address
def build(out: Path, bench: Path | None, results: str, as_json: bool, **given: Any) -> None:
    """Write the site as files for any web server, under any path.

    Raw JSONL files on the same disk are hard-linked, others are copied. Results at an address are copied into
    the cache first; the next build copies only what has changed.

    \b
    Examples:
      probatio site build --out site && python -m http.server --directory site
      probatio site build --results s3://bucket/results --out site
    """
    require_extra("site")
    from probatio.runs.store.address import is_address, results_at
    from probatio.site.snapshot import load_site
    from probatio.site.static import build as write

    folder = results_at(results) if is_address(results) else Path(results)
    options.say_ahead(folder, options.warn)
    options.say_unknown(folder)
    site = load_site(folder, bench=_bench(bench, folder), **given)
    built = write(site, out)
    for run, why in site.left_out.items():
        options.warn(f"The run {run} is not shown: {why}")
    if as_json:
        options.print_event("site", built)
        return
    click.echo(f"{built.pages} pages, {built.bytes / 1e6:.1f} MB, in {built.seconds:.1f} s.")
    click.echo(f"Site: {out / 'index.html'}")


@click.command()
@options.path_option(
    "--results", "The folder to fill. It must not contain real days.", default=Path("results-demo")
)
@options.value_option("--days", click.IntRange(1, 3650), 90, "Days to simulate.")
@click.option("--until", metavar="YYYY-MM-DD", help="The last simulated day.  [default: today, UTC]")
@options.as_json
def demo(results: Path, days: int, until: str | None, as_json: bool) -> None:
    """Fill a results folder with simulated models. Every page is marked SIMULATED.

    \b
    Example:
      probatio site demo && probatio site serve --results results-demo
    """
    from datetime import UTC, date, datetime

    from probatio.site.demo import fill_days, fill_runs
    from probatio.watch.day.folder import parse_date

    last = date.fromisoformat(parse_date(until, datetime.now(UTC)))
    samples = fill_days(results, days, last)
    runs = fill_runs(results, last)
    if as_json:
        options.print_event(
            "demo", folder=str(results), days=days, until=str(last), samples=samples, runs=runs
        )
        return
    click.echo(
        f"{days} simulated days with {samples:,} samples and {len(runs)} simulated runs in {results}. "
        f"See them with:"
    )
    click.echo(f"  probatio site serve --results {results}")


def _bench(given: Path | None, results: Path) -> Path | None:
    from probatio.site.pages.bench import BENCH_FILE
    from probatio.site.shipped import BENCH

    return given or next((path for path in (results / BENCH_FILE, OWN_BENCH, BENCH) if path.exists()), None)
