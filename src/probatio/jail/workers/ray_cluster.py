"""Ray itself: reaching a cluster, its machines, and an actor of ours on each. Nothing else imports Ray."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
from typing import Any

import msgspec

from probatio.core.errors import Incomplete
from probatio.core.extras import require

_QUIET = {"log_to_driver": False, "logging_level": "ERROR"}


class Machine(msgspec.Struct, frozen=True):
    """A machine of the cluster that has cores to give."""

    id: str
    name: str
    cores: int


class Lost(Exception):
    """The machine, or our process there, is gone."""


class Cluster:
    """A connection to a Ray cluster. `ray` is that of RAY_ADDRESS or of this machine, started if needed."""

    def __init__(self, address: str) -> None:
        require("ray")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent that the user did not ask for
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # no warning about graphics cards
        # By name, so that types are checked alike where Ray is installed and where it is not.
        ray: Any = importlib.import_module("ray")
        self._ray, self._errors = ray, (ray.exceptions.RayError, ConnectionError)
        _silence()
        try:
            if "://" in address:
                ray.init(address, **_QUIET)
            else:
                self._join_or_begin()
        except (*self._errors, RuntimeError, ValueError, TimeoutError) as error:
            raise Incomplete(
                f"The Ray cluster of --workers {address} can't be reached: {_line(error)}"
            ) from error

    def _join_or_begin(self) -> None:
        try:
            self._ray.init("auto", job_config=_own_imports(), **_QUIET)
        except ConnectionError:
            if "RAY_ADDRESS" in os.environ:
                raise
            _stay_on_loopback()
            self._ray.init(include_dashboard=False, job_config=_own_imports(), **_QUIET)

    def machines(self) -> list[Machine]:
        """Those that are alive and have cores."""
        try:
            return [
                Machine(
                    node["NodeID"], str(node.get("NodeManagerHostname") or node["NodeID"][:8]), int(cores)
                )
                for node in self._ray.nodes()
                if node["Alive"] and (cores := node["Resources"].get("CPU", 0)) >= 1
            ]
        except self._errors as error:
            raise Lost(_line(error)) from error

    def start(self, machine: Machine) -> Any:
        """Our actor on this machine. It takes all cores of it in Ray's books, since it uses them."""
        from probatio.jail.workers.ray_batch import NodeActor

        strategies: Any = importlib.import_module("ray.util.scheduling_strategies")
        place = strategies.NodeAffinitySchedulingStrategy(machine.id, soft=False)
        options = {"num_cpus": machine.cores, "scheduling_strategy": place, "max_concurrency": 64}
        return self._ray.remote(NodeActor).options(**options).remote(machine.cores)

    async def check(self, actor: Any, batch: bytes) -> bytes:
        """What the actor makes of a batch. Raises `Lost` where it is gone."""
        try:
            reply: bytes = await asyncio.wrap_future(actor.check.remote(batch).future())
            return reply
        except self._errors as error:
            raise Lost(_line(error)) from error

    def stop(self, actor: Any) -> None:
        try:
            self._ray.kill(actor)
        except (*self._errors, RuntimeError, ValueError):  # it is gone, or Ray is
            return

    def close(self) -> None:
        self._ray.shutdown()


def _own_imports() -> Any:
    """Settings of our job with which its workers import from their own places alone.

    Ray makes the working folder, which may be a stranger's, their first place of imports, unless the job
    brings a folder of its own (Ray 2.60). Ours says so and brings none. A Ray client (`ray://`) never adds
    it.
    """
    settings: Any = importlib.import_module("ray.job_config")
    job = settings.JobConfig()
    job._runtime_env_has_working_dir = lambda: True
    return job


def _stay_on_loopback() -> None:
    """Let a cluster that we begin listen on this machine alone: who reaches its ports can run code here.

    On Linux Ray listens on all interfaces, and takes a loopback `_node_ip_address` for another word for the
    machine's own address. This switch, which is off on macOS and Windows, makes it stay there (Ray 2.60: all
    six ports).
    """
    switch = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
    os.environ[switch] = "0"
    constants: Any = importlib.import_module("ray._private.ray_constants")
    constants.ENABLE_RAY_CLUSTER = False


def _silence() -> None:
    """Keep Ray from printing to standard output, where a script reads our JSON; no setting does that.

    The pool itself says which machine was lost.
    """
    with contextlib.suppress(ImportError):
        printing: Any = importlib.import_module("ray._private.worker")
        printing.print_to_stdstream = lambda *given, **named: None


def _line(error: BaseException) -> str:
    """The most informative line of Ray's message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = next((line for line in lines if "Error" in line or "died" in line), lines[0] if lines else "")
    return f"{telling or type(error).__name__}"[:300]
