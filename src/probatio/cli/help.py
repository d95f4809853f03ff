"""`probatio help`: a list of every command, and the pages of the documentation."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.cli import options
from probatio.core.errors import UsageError


@click.command()
@click.argument("words", nargs=-1, metavar="[PAGE | COMMAND]")
@click.option("--all", "every", is_flag=True, help="List every command and every page.")
@click.option("--path", is_flag=True, help="Print where the file of a page is, not what is in it.")
@click.option("--json", "as_json", is_flag=True, help="With --all: print the lists as one JSON object.")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], every: bool, path: bool, as_json: bool) -> None:
    """Show a page of the documentation, or list every command and page.

    PAGE is a name such as `models`, or a file such as `compose.yml`. A word that is both a page and a
    command shows the page; `probatio COMMAND --help` shows the options. The same pages are under Docs on the
    site (`probatio site serve`).

    \b
    Examples:
      probatio help --all
      probatio help your-language | less
      probatio help compose.yml --path
      probatio help study compare
    """
    from probatio.core.text.names import refuse_unknown_name
    from probatio.site.shipped import list_pages

    root = ctx.find_root()
    known = list_pages()
    if every or as_json or (path and not words):
        _list(path, as_json)
        return
    if not words:
        click.echo(root.get_help())
        return
    page = " ".join(words)
    found = next(
        (each.path for each in known if page in (each.name, f"docs/{each.name}.md", f"{each.name}.md")), None
    )
    found = found or _find_shipped(page)
    if found is None:
        assert isinstance(root.command, click.Group)
        if (named := root.command.get_command(root, page)) is not None:
            click.echo(named.get_help(click.Context(named, info_name=page, parent=root)))
            return
        raise refuse_unknown_name("page", page, [each.name for each in known])
    try:
        click.echo(str(found) if path else found.read_text(encoding="utf-8"), nl=path)
    except OSError as error:
        raise UsageError(f"{found} can't be read: {error.strerror}.") from None


def _list(path: bool, as_json: bool) -> None:
    from probatio.cli import COMMANDS
    from probatio.site.shipped import list_pages

    if as_json:
        listed = [{"name": each.name, "title": each.title, "path": str(each.path)} for each in list_pages()]
        commands = {name: entry.line for name, entry in COMMANDS.items()}
        options.print_event("help", commands=commands, pages=listed)
        return
    width = max(map(len, COMMANDS))
    if not path:
        click.echo("Commands (`probatio COMMAND --help` shows the options of one):")
        for name, entry in COMMANDS.items():
            click.echo(f"{'' if ' ' in name else chr(10)}  {name:<{width}}  {entry.line}")
        click.echo("\nPages (`probatio help PAGE` shows one):\n")
    for each in list_pages():
        click.echo(f"{each.path} {each.title}" if path else f"  {each.name:<{width}}  {each.title}")


SHIPPED = ("Dockerfile", "compose.yml")
"""Files that `help` shows besides the pages and the table of public benchmarks."""


def _find_shipped(name: str) -> Path | None:
    from probatio.site.shipped import BENCH, find_shipped

    if name == BENCH.name:
        return BENCH
    return find_shipped(name) if name in SHIPPED and find_shipped(name).is_file() else None
