"""The narrative: a section of `analysis.md` in the words of an analyst model, quoted below the computed part.

The model reads the computed tables and writes prose about them. Its text goes into a quote that can't hold a
table or a heading, after everything that was computed, so it can change no number. A number in it that is in
no table is pointed out. A narrative is paid for, so it is kept next to the run and asked for again only when
the tables or the analyst have changed.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from probatio.core.config import Config, analyst_request, analyst_requests
from probatio.core.errors import ProbatioError, UsageError
from probatio.core.files import put
from probatio.core.jsonfile import read_json
from probatio.core.records import Model, Sampling
from probatio.core.text.markdown import escape_markdown, quote
from probatio.core.trust import NAME_FILE, find_unsaid, refuse
from probatio.learn.report.sections import FAILURES_TITLE

TITLE = "## Narrative"
KEPT = "narrative.json"

SAMPLING = Sampling(temperature=0.0, max_tokens=1000, seed=42)
LONGEST = 8000
"""Characters; a section of prose, not a book."""

INSTRUCTION = """\
You are given the computed analysis of a trial: language models were asked to read and write a \
small programming language after
seeing different amounts of context. Write an interpretation for a reader who has the tables before \
them: what was learnt, by
whom, from how much context, what the commonest errors suggest, and what the data can't tell. Use \
only numbers that stand in the
tables, with their intervals; where intervals overlap, say that no difference is shown. Plain \
prose, at most 300 words, no
headings and no tables.

The analysis:

"""

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


class Narrative(msgspec.Struct, frozen=True):
    """What an analyst wrote, and about which tables; or why nothing was written."""

    model: str | None
    text: str | None
    digest: str
    missing: str | None = None


def format_narrative(narrative: Narrative, computed: str) -> str:
    """The section as it stands in analysis.md."""
    if narrative.text is None or narrative.model is None:
        return f"{TITLE}\n\n{escape_markdown(narrative.missing or 'None.')}\n"
    lines = [
        f"{TITLE} (written by {escape_markdown(narrative.model)})",
        "",
        f"Written by the model {escape_markdown(narrative.model)} from the tables above. "
        "An opinion: the tables are what was measured.",
        "",
        *quote(narrative.text[:LONGEST]),
    ]
    if strange := find_strange_numbers(narrative.text, computed):
        lines += ["", f"Numbers in this text that stand in no table above: {', '.join(strange)}."]
    return "\n".join(lines) + "\n"


def find_strange_numbers(text: str, computed: str) -> list[str]:
    """Numbers in the text that are not in the computed part, in their order."""
    known = {_plain(number) for number in _NUMBER.findall(_tables(computed))}
    return list(dict.fromkeys(number for number in _NUMBER.findall(text) if _plain(number) not in known))


def read_kept(folder: Path, computed: str) -> Narrative | None:
    """The narrative that was paid for before, if it is about exactly these tables."""
    try:
        narrative = read_json(folder / KEPT, Narrative, "a kept narrative")
    except (OSError, UsageError):
        return None
    return narrative if narrative.digest == _digest(computed) else None


def require_analyst(config: Config, env: Mapping[str, str]) -> None:
    """Refuse an analyst whose address or key stand in a models.yml or a `.env` that was found and not named,
    as long as the user has not allowed it: the tables of the user's own run would go there."""
    from probatio.ask.hosts import Environment
    from probatio.ask.providers import provider_of

    requests = [*analyst_requests(config)]
    model = next((each for each in config.models if each.id == config.analyst), None)
    if model is not None and not model.base_url and isinstance(env, Environment):
        variable = provider_of(model).base_url_env
        if variable in env.from_file:
            requests.append(analyst_request(model.id, env[variable]))
    refuse(find_unsaid(requests), NAME_FILE)


def narrate(computed: str, config: Config, env: Mapping[str, str], folder: Path) -> Narrative:
    """Ask the analyst of models.yml. If that fails, the section says why, and nothing else fails."""
    digest = _digest(computed)
    if config.analyst is None:
        return Narrative(
            None,
            None,
            digest,
            f"No analyst model is named in models.yml ({config.source}): no narrative was written.",
        )
    earlier = read_kept(folder, computed)
    if earlier is not None and earlier.model == config.analyst:
        return earlier
    try:
        analyst = next((model for model in config.models if model.id == config.analyst), None)
        if analyst is None:
            raise UsageError(f"the analyst `{config.analyst}` is not among the models of {config.source}.")
        text = asyncio.run(_ask(analyst, INSTRUCTION + _tables(computed), env))
    except ProbatioError as error:
        return Narrative(None, None, digest, f"No narrative was written by {config.analyst}: {error}")
    narrative = Narrative(config.analyst, text, digest)
    put(folder / KEPT, msgspec.json.encode(narrative) + b"\n")
    return narrative


def explain_missing(computed: str, folder: Path) -> Narrative:
    """The section if no narrative was asked for: the kept one while it still fits, else how to get one."""
    return read_kept(folder, computed) or Narrative(
        None,
        None,
        _digest(computed),
        "None was asked for; `probatio study --narrative` adds one where models.yml names an analyst.",
    )


async def _ask(model: Model, prompt: str, env: Mapping[str, str]) -> str:
    from probatio.ask.client import ChatClient
    from probatio.ask.routes import open_route

    async with ChatClient(1) as client:
        with open_route(model, env) as route:
            answer = await client.ask(route, prompt, SAMPLING)
    if not answer.text or not answer.text.strip():
        raise ProbatioError(f"it did not answer ({answer.error or 'an empty text'}).")
    return answer.text


def _tables(computed: str) -> str:
    """The computed part without the failing examples: no orders and no numbers are taken from the models' own
    texts."""
    return computed.partition(f"\n{FAILURES_TITLE}\n")[0]


def _digest(computed: str) -> str:
    return hashlib.sha256(_tables(computed).encode()).hexdigest()[:16]


def _plain(number: str) -> str:
    return number.replace(",", "").rstrip(".")
