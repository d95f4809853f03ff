"""`probatio site`: the leaderboard, model pages and learnability explorer: live, as files, or as a demo."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options
from probatio.extras import require_extra

BENCH = Path("config/bench.yml")

bench_option = click.option(
    "--bench",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file of public benchmark results.  [default: bench.yml of the results, else config/bench.yml, else the one that "
    "comes along]",
)


@click.group()
def command() -> None:
    """Show the results as a web site: a leaderboard of verdicts, every raw sample, the learnability explorer.

    \b
    Examples:
      probatio site demo && probatio site serve --results results-demo
      probatio site serve                       http://127.0.0.1:8000
      probatio site build --out site            files for any web server
    """


@command.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port to listen on.")
@click.option(
    "--detectable",
    is_flag=True,
    help="First compute the smallest drop that the watch would have detected (1 s per new reference).",
)
@bench_option
@options.results
def serve(host: str, port: int, detectable: bool, bench: Path | None, results: Path) -> None:
    """Serve the site, read-only. It follows changes of the results folder.

    \b
    Example:
      probatio site serve --results results --port 8000
    """
    require_extra("site")
    from probatio.site.live import LiveSite
    from probatio.site.live import serve as run
    from probatio.site.snapshot import load_site

    _say_ahead(results)
    figures = _bench(bench, results)
    live = LiveSite(lambda: load_site(results, bench=figures, detectable=detectable), results, figures)
    click.echo(f"Serving {results} at http://{host}:{port}/ (end with Ctrl-C)")
    run(live, host, port)


@command.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("site"), show_default=True, help="The folder to write."
)
@click.option(
    "--sample-days",
    default=14,
    show_default=True,
    type=click.IntRange(0),
    help="Write pages for the samples of this many last days, and of all days on which a verdict changed.",
)
@click.option(
    "--base-url", default="", metavar="URL", help="The address of the published site, for absolute links in the feed."
)
@click.option(
    "--detectable/--no-detectable",
    default=True,
    show_default=True,
    help="Compute the smallest drop that the watch would have detected, where it is missing (1 s per new reference).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
@bench_option
@options.results_or_address
def build(
    out: Path, sample_days: int, base_url: str, detectable: bool, as_json: bool, bench: Path | None, results: str
) -> None:
    """Write the site as files for any web server, under any path.

    Raw JSONL files on the same disk are hard-linked, others are copied. Results at an address are copied into the cache first;
    the next build copies only what has changed.

    \b
    Examples:
      probatio site build --out site && python -m http.server --directory site
      probatio site build --results s3://bucket/results --out site
    """
    require_extra("site")
    from probatio.site.snapshot import load_site
    from probatio.site.static import build as write
    from probatio.store.address import is_address, results_at

    folder = results_at(results) if is_address(results) else Path(results)
    _say_ahead(folder)
    site = load_site(
        folder, bench=_bench(bench, folder), sample_days=sample_days, base_url=base_url, detectable=detectable
    )
    built = write(site, out)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"event": "site", **msgspec.structs.asdict(built)}).decode())
        return
    click.echo(f"{built.pages} pages, {built.bytes / 1e6:.1f} MB, in {built.seconds:.1f} s.")
    click.echo(f"Site: {out / 'index.html'}")


@command.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("results-demo"),
    show_default=True,
    help="The results folder to fill. It must not contain real days.",
)
@click.option("--days", default=90, show_default=True, type=click.IntRange(1, 3650), help="Days to simulate.")
@click.option("--until", metavar="YYYY-MM-DD", help="The last simulated day.  [default: today, UTC]")
def demo(out: Path, days: int, until: str | None) -> None:
    """Fill a results folder with simulated models. Every page is marked SIMULATED.

    \b
    Example:
      probatio site demo && probatio site serve --results results-demo
    """
    from datetime import UTC, date, datetime

    from probatio.day.folder import day_of
    from probatio.site.demo import fill
    from probatio.site.demo_runs import fill_runs

    last = date.fromisoformat(day_of(until, datetime.now(UTC)))
    samples = fill(out, days, last)
    runs = fill_runs(out, last)
    click.echo(
        f"{days} simulated days with {samples:,} samples and {len(runs)} simulated runs in {out}. See them with:"
    )
    click.echo(f"  probatio site serve --results {out}")


def _say_ahead(results: Path) -> None:
    from probatio.run.clock import today
    from probatio.store.days import days_ahead, told_ahead

    if ahead := days_ahead(results, today()):
        click.echo(told_ahead(ahead, today()), err=True)


def _bench(given: Path | None, results: Path) -> Path | None:
    from probatio.shipped import shipped
    from probatio.site.bench import BENCH_FILE

    return given or next((path for path in (results / BENCH_FILE, BENCH, shipped(str(BENCH))) if path.exists()), None)
