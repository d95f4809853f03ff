"""The Python program in an answer: the right block, or code without a fence."""

from __future__ import annotations

import re

from probatio.core.text.fences import find_fences

FENCES = frozenset({"python", "py", "python3", "py3"})


def program(answer: str, function: str) -> str | None:
    """The program in an answer: the last Python block with the function, else any block, else bare code.

    The last, because a model that thinks again writes the better version below. Blocks with examples don't
    define it.
    """
    defines = re.compile(rf"^(?:async[ \t]+)?def[ \t]+{re.escape(function)}[ \t]*\(", re.MULTILINE)
    blocks = [block for block in find_fences(answer) if defines.search(dedent(block.body))]
    ours = [block for block in blocks if block.language in FENCES] or blocks
    if ours:
        return dedent(ours[-1].body)
    bare = _bare(answer, defines)
    return bare if bare and defines.search(bare) else None


def dedent(body: str) -> str:
    """A block in a list is indented as a whole."""
    first = next((line for line in body.splitlines() if line.strip()), "")
    margin = first[: len(first) - len(first.lstrip())]
    if not margin:
        return body
    return "\n".join(line.removeprefix(margin) for line in body.splitlines())


_STARTS_CODE = re.compile(r"(?:import|from|def|class|async)[ \t]+\w|@\w")
_GOES_ON = re.compile(
    r"\s|$|#|@\w|[)\]}\"']|(?:import|from|def|class|async|if|elif|for|while|with|return|raise|assert|del|global)\b.*"
    r"|(?:else|try|finally)[ \t]*:|except\b.*:|[A-Za-z_][\w.]*(?:\[.*\])?[ \t]*(?:[-+*/|&%]?=[^=]|:[ "
    r"\t]*\S+[ \t]*=|\()"
)


def _bare(answer: str, defines: re.Pattern[str]) -> str | None:
    """Code without a fence: from its first line to the last before a line that is no code."""
    lines = [line for line in answer.splitlines() if not re.match(r"[ \t]*(?:`{3,}|~{3,})", line)]
    definition = defines.search("\n".join(lines))
    if not definition:
        return None
    at = "\n".join(lines)[: definition.start()].count("\n")
    begin = at
    while begin and _GOES_ON.match(lines[begin - 1]):
        begin -= 1
    while (
        begin < at
        and not _STARTS_CODE.match(lines[begin])
        and not re.match(r"#|[A-Za-z_]\w*[ \t]*=", lines[begin])
    ):
        begin += 1
    end = at + 1
    while end < len(lines) and _GOES_ON.match(lines[end]):
        end += 1
    return "\n".join(lines[begin:end])
