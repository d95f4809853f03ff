"""`probatio docs`: the pages that help and errors name, without a browser and without a network."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.errors import UsageError


@click.command()
@click.argument("page", required=False)
@click.option("--path", is_flag=True, help="Print where the file is, not what is in it.")
@click.option("--json", "as_json", is_flag=True, help="Print the list of pages as one JSON object.")
def command(page: str | None, path: bool, as_json: bool) -> None:
    """Show a page of the documentation, or list them. PAGE is a name such as `models`, or a path such as `deploy/crontab`.

    The same pages are under Docs on the site (`probatio site serve`).

    \b
    Examples:
      probatio docs
      probatio docs your-language | less
      probatio docs deploy/crontab --path
    """
    from probatio.documentation import pages
    from probatio.names import unknown
    from probatio.shipped import shipped

    known = pages()
    if page is None:
        if as_json:
            import msgspec

            listed = [{"name": each.name, "title": each.title, "path": str(each.path)} for each in known]
            click.echo(msgspec.json.encode({"event": "docs", "pages": listed}).decode())
            return
        for each in known:
            click.echo(f"{each.path if path else each.name:<28} {each.title}")
        return
    found = next((each.path for each in known if page in (each.name, f"docs/{each.name}.md", f"{each.name}.md")), None)
    if found is None and _is_shipped(page):
        found = shipped(page)
    if found is None:
        raise unknown("page", page, [each.name for each in known])
    try:
        click.echo(str(found) if path else found.read_text(encoding="utf-8"), nl=path)
    except OSError as error:
        raise UsageError(f"{found} can't be read: {error.strerror}.") from None


SHIPPED = ("deploy/", "config/bench.yml", "Dockerfile", "compose.yml")
"""What comes along besides the pages."""


def _is_shipped(name: str) -> bool:
    from probatio.shipped import shipped

    return name.startswith(SHIPPED) and ".." not in Path(name).parts and shipped(name).is_file()
