"""`probatio pack`: a closed run as Parquet, a tenth of the size."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options


@click.command()
@click.argument("run", shell_complete=options.complete_runs)
@click.option("--unpack", is_flag=True, help="Write the JSON lines again, byte for byte, in place of the packed files.")
@click.option("--keep", is_flag=True, help="Keep the JSON lines beside the packed files.")
@options.results
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def command(run: str, unpack: bool, keep: bool, results: Path, as_json: bool) -> None:
    """Pack the answers and grades of a closed run into Parquet files. Every command reads them as before.

    Nothing is lost: before the JSON lines are removed, every byte of them is made again from the packed files and compared.
    --unpack puts them back. A packed run is not resumed; unpack it first.

    \b
    Examples:
      probatio pack 2026-01-05T20-27-27
      probatio pack 2026-01-05T20-27-27 --unpack
    """
    import msgspec

    from probatio.errors import UsageError
    from probatio.run.record import find_run
    from probatio.store.address import is_address
    from probatio.store.packing import pack_run, unpack_run

    if is_address(run):
        raise UsageError("A run is packed on a disk: copy it here, pack it, and copy it back.")
    if unpack and keep:
        raise UsageError("--keep is for packing; with --unpack it says nothing.")
    folder = find_run(run, results)
    if unpack:
        files = unpack_run(folder)
        if as_json:
            click.echo(
                msgspec.json.encode({"event": "unpacked", "run": str(folder), "files": list(map(str, files))}).decode()
            )
        else:
            click.echo(
                f"Unpacked: {', '.join(file.name for file in files) or 'nothing, newer lines are there'} in {folder}"
            )
        return
    done = pack_run(folder, keep=keep)
    before, after = sum(each.bytes_before for each in done), sum(each.bytes_after for each in done)
    if as_json:
        event = {"event": "packed", "run": str(folder), "files": done, "bytes_before": before, "bytes_after": after}
        click.echo(msgspec.json.encode(event).decode())
        return
    for each in done:
        click.echo(f"{each.file}: {each.lines} lines, {_size(each.bytes_before)} → {_size(each.bytes_after)}")
    times = f"{before / after:.0f} times smaller" if before > after else "no smaller: few lines are not worth packing"
    click.echo(f"Packed: {folder} ({times}; every byte can be had again with --unpack)")


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
