"""A stand-in for the paid APIs: a real server on loopback that answers, stumbles and lies as the real ones
do."""

from double.server import Double, Faults, RawReply, completion

__all__ = ["Double", "Faults", "RawReply", "completion"]
