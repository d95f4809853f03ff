"""What of a model may stand in a record: its address without name, password and token.

A record is shared and published. Who asks again takes the address from models.yml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

import msgspec

from probatio.core.records import Model
from probatio.core.redact import know_address, redact

_LOGIN = re.compile(r"^([^/?#]*//)?[^/?#]*@")
_LAST_LOGIN = re.compile(r"^([^/?#]*//)?.*@")


def publish_models(models: Iterable[Model]) -> tuple[Model, ...]:
    """The models as a record names them."""
    return tuple(
        msgspec.structs.replace(model, base_url=publish_address(model.base_url)) if model.base_url else model
        for model in models
    )


def publish_address(url: str) -> str:
    """An address as a record or a message may show it: `https://me:secret@host/v1?key=1` → `https://host/v1`."""
    know_address(url)
    try:
        broken = urlsplit(url).port == 0
    except ValueError:
        broken = True  # a password with a slash in it is no address, and all before the last @ may be secret
    bare = (_LAST_LOGIN if broken else _LOGIN).sub(r"\1", url)
    return redact(re.split(r"[?#]", bare, maxsplit=1)[0])
