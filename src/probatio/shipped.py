"""Files that come with Probatio besides its code: the docs, the deploy files, the table of public benchmarks.

An installed package has them in its folder `share`; a checkout has them at its root. Help and errors name them by the path
they have in the repository, such as `docs/models.md`; `probatio docs` shows them wherever they are.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_SHARE = _PACKAGE / "share"
_CHECKOUT = _PACKAGE.parent.parent


def shipped(name: str) -> Path:
    """Where a file or folder is that has this path in the repository. It may be missing from an odd install."""
    return _SHARE / name if _SHARE.is_dir() else _CHECKOUT / name
