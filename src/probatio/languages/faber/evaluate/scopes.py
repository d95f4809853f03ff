"""Names resolved to places before the program runs: which frame, counted outwards, and which slot of it.

A frame is a Python list: its parent, the value being returned, `ego`, then the slots. A function call makes one; so does a block
whose names a function inside it may hold on to, since every round of a loop has its own.
"""

from __future__ import annotations

from typing import Any

Frame = list[Any]

PARENT, RETURNED, EGO, FIRST = 0, 1, 2, 3


class FrameShape:
    """How many slots the frame of a function or block needs."""

    __slots__ = ("parent", "size")

    def __init__(self, parent: FrameShape | None) -> None:
        self.parent = parent
        self.size = FIRST

    def slot(self) -> int:
        self.size += 1
        return self.size - 1

    def new(self, parent: Frame | None, ego: Any) -> Frame:
        frame: Frame = [None] * self.size
        frame[PARENT] = parent
        frame[EGO] = ego
        return frame


class Scope:
    """The names of one block, and the blocks around it."""

    __slots__ = ("names", "outer", "shape")

    def __init__(self, shape: FrameShape, outer: Scope | None) -> None:
        self.shape = shape
        self.outer = outer
        self.names: dict[str, int] = {}

    def declare(self, name: str) -> int:
        place = self.names.get(name)
        if place is None:
            place = self.names[name] = self.shape.slot()
        return place

    def find(self, name: str) -> tuple[int, int] | None:
        """How many frames outwards, and the slot there."""
        scope: Scope | None = self
        depth, shape = 0, self.shape
        while scope is not None:
            while shape is not scope.shape:
                assert shape.parent is not None
                shape = shape.parent
                depth += 1
            if name in scope.names:
                return depth, scope.names[name]
            scope = scope.outer
        return None

    def inner(self, shape: FrameShape | None = None) -> Scope:
        return Scope(shape or self.shape, self)
