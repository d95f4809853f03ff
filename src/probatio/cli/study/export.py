"""`probatio study export` and `study pack`: runs for other tools, and runs packed small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from probatio.cli import options
from probatio.core.errors import UsageError


@click.command()
@click.argument("run", shell_complete=options.complete_runs)
@options.results
@options.recorded_suite
@options.path_option("--inspect", "Logs of Inspect.", only="folder", metavar="DIR")
@options.path_option("--junit", "JUnit XML, for a CI server.", only="file", metavar="FILE.xml")
@options.as_json
def export(
    run: str, results: Path, suite: Path | None, inspect: Path | None, junit: Path | None, as_json: bool
) -> None:
    """Write a run for other tools: Inspect, CI servers.

    The page docs/export.md says what becomes what.

    \b
    Examples:
      probatio study export 2026-01-05T20-27-27 --inspect logs      then: inspect view --log-dir logs
      probatio study export 2026-01-05T20-27-27 --junit report.xml
    """
    from probatio.learn.exports.conditions import find_suite, open_run
    from probatio.learn.exports.inspect_log import write_inspect
    from probatio.learn.exports.junit import write_junit

    if inspect is None and junit is None:
        raise UsageError("Say what to write: --inspect DIR or --junit FILE.xml.")
    read = open_run(run, results)
    known = find_suite(read, suite, options.warn)
    written: dict[str, Any] = {"event": "export", "run": read.record.run_id}
    if inspect is not None:
        logs = [str(path) for path in write_inspect(read, known, inspect)]
        written["inspect"] = {"folder": str(inspect), "logs": logs}
    if junit is not None:
        written["junit"] = {"file": str(junit), **write_junit(read, junit)}
    if as_json:
        options.print_json(written)
        return
    if inspect is not None:
        click.echo(f"Inspect: {len(logs)} logs. Look at them with: inspect view --log-dir {inspect}")
    if done := written.get("junit"):
        counts = ", ".join(f"{done[name]} {name}" for name in ("tests", "failures", "errors"))
        click.echo(f"JUnit: {done['file']} ({counts})")


@click.command()
@click.argument("run", shell_complete=options.complete_runs)
@click.option(
    "--unpack", is_flag=True, help="Write the JSON lines again, byte for byte, in place of the packed files."
)
@click.option("--keep", is_flag=True, help="Keep the JSON lines next to the packed files.")
@options.results
@options.as_json
def pack(run: str, unpack: bool, keep: bool, results: Path, as_json: bool) -> None:
    """Pack the answers and grades of a closed run (`.jsonl.zst`). Every command reads them as before.

    Nothing is lost: before the JSON lines are removed, every byte is read back from the packed files and
    compared. --unpack puts them back. A packed run is not resumed; unpack it first.

    \b
    Examples:
      probatio study pack 2026-01-05T20-27-27
      probatio study pack 2026-01-05T20-27-27 --unpack
    """
    from probatio.runs.record import find_run
    from probatio.runs.store.address import is_address
    from probatio.runs.store.packed import pack_run, unpack_run

    if is_address(run):
        raise UsageError("A run is packed on a disk: copy it here, pack it, and copy it back.")
    if unpack and keep:
        raise UsageError("--keep is for packing; with --unpack it says nothing.")
    folder = find_run(run, results)
    if unpack:
        files = unpack_run(folder)
        if as_json:
            options.print_event("unpacked", run=str(folder), files=list(map(str, files)))
        else:
            names = ", ".join(file.name for file in files) or "nothing, newer lines are there"
            click.echo(f"Unpacked: {names} in {folder}")
        return
    done = pack_run(folder, keep=keep)
    before, after = sum(each.bytes_before for each in done), sum(each.bytes_after for each in done)
    if as_json:
        options.print_event("packed", run=str(folder), files=done, bytes_before=before, bytes_after=after)
        return
    for each in done:
        click.echo(f"{each.file}: {each.lines} lines, {_size(each.bytes_before)} → {_size(each.bytes_after)}")
    times = "no smaller: few lines are not worth packing"
    if before > after:
        times = f"{before / after:.0f} times smaller"
    click.echo(f"Packed: {folder} ({times}; every byte can be had again with --unpack)")


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
