"""The nursery: forks workers, ends them when told, and takes all of them along when the engine is gone.

It never sees an answer, so nothing can hang it. It has one thread, so it may fork; what a lane needs is
loaded before its first worker is forked and shared by all of them. The engine's end of the control socket
closes with the engine, however that ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import os
import select
import signal
import socket
import sys

import msgspec

from probatio.jail.workers.serving import serve
from probatio.jail.workers.wire import Fork, Kill, Order

_ORDER_BYTES = 4096
_PR_SET_PDEATHSIG = 1


class Nursery:
    """The workers that are alive, by the engine's number and by the handle that tells their end."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.decode = msgspec.msgpack.Decoder(Order).decode
        self.pids: dict[int, int] = {}  # number → process
        self.handles: dict[int, int] = {}  # handle → number
        self.warmed: set[str] = {""}
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)

    def run(self) -> None:
        """Until the engine is gone."""
        while True:
            for handle, _ in self.poll.poll():
                if handle in self.handles:
                    self._reap(handle)
                elif not self._obey():
                    return

    def end(self) -> None:
        for number in list(self.pids):
            self._kill(number)
        for handle in list(self.handles):
            self._reap(handle)

    def _obey(self) -> bool:
        message, fds, _, _ = socket.recv_fds(self.control, _ORDER_BYTES, 1)
        if not message:
            return False
        order = self.decode(message)
        if isinstance(order, Kill):
            self._kill(order.number)
        elif fds:
            self._fork(order, fds[0])
        return True

    def _fork(self, order: Fork, stream: int) -> None:
        if order.warm not in self.warmed:
            self.warmed.add(order.warm)
            with contextlib.suppress(Exception):  # the check itself says what is missing
                module, _, name = order.warm.partition(":")
                getattr(importlib.import_module(module), name)()
            gc.collect()
            gc.freeze()  # a collection in a worker touches none of the pages it shares
        nursery = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                self._become_worker(order, stream, nursery)
            finally:
                os._exit(1)
        os.close(stream)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        handle = os.pidfd_open(pid)
        self.pids[order.number], self.handles[handle] = pid, order.number
        self.poll.register(handle, select.POLLIN)

    def _become_worker(self, order: Fork, stream: int, nursery: int) -> None:
        os.setpgid(0, 0)  # ended with everything it has started
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != nursery:
            return
        self.control.close()
        for handle in self.handles:
            os.close(handle)
        serve(socket.socket(fileno=stream), order)

    def _kill(self, number: int) -> None:
        pid = self.pids.get(number)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):  # it may not have its group yet
                os.kill(pid, signal.SIGKILL)

    def _reap(self, handle: int) -> None:
        number = self.handles.pop(handle)
        self.poll.unregister(handle)
        pid = self.pids.pop(number)
        # Its number stays taken until it is waited for, so that no other group is meant.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(handle)


_LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nursery = Nursery(socket.socket(fileno=int(sys.argv[1])))
    try:
        nursery.run()
    finally:
        nursery.end()


if __name__ == "__main__":
    main()
