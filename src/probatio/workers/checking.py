"""One check, done where it is called: a function by its name, and its result or its failure as a frame."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

from probatio.errors import CannotCheck, ProbatioError
from probatio.workers.wire import DONE, FAILED, NO_JAIL, NO_TOOL

Check = Callable[[bytes], bytes]


def checked(name: str, payload: bytes) -> tuple[int, bytes]:
    """The kind of the frame and what is in it. Never raises."""
    try:
        return DONE, _function(name)(payload)
    except CannotCheck as error:
        return NO_TOOL, _sentence(error)
    except ProbatioError as error:
        return NO_JAIL, _sentence(error)
    except MemoryError:
        return FAILED, b"it needs more memory than a check may use"
    except BaseException as error:
        return FAILED, f"{type(error).__name__}: ".encode() + _sentence(error)


def _sentence(error: BaseException) -> bytes:
    try:
        return str(error)[:500].encode("utf-8", "replace")
    except Exception:
        return b""


@functools.cache
def _function(name: str) -> Check:
    module, _, function = name.partition(":")
    check: Check = getattr(importlib.import_module(module), function)
    return check
