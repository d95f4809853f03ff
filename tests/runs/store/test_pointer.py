"""A note about an address that lies in someone else's folder is a file like any other: nothing is fetched."""

from __future__ import annotations

import json
import shutil
import socket
import threading
from pathlib import Path

from commandline import probatio
from probatio.runs.store.address import POINTER

KEPT = Path(__file__).parents[3] / "examples" / "runs" / "sample-0.5b"


def test_no_command_follows_an_address_that_a_folder_names(tmp_path: Path) -> None:
    run = tmp_path / "results" / "r"
    shutil.copytree(KEPT, run)
    asked: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        ended = threading.Event()

        def listen() -> None:
            while not ended.is_set():
                try:
                    asked.append(server.accept()[1])
                except TimeoutError:
                    continue

        listening = threading.Thread(target=listen)
        listening.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/r"
        for folder in (run, run.parent):
            note = {"address": address, "files": {"graded_results.jsonl": "1", "../../x": "2"}}
            (folder / POINTER).write_text(json.dumps(note))
        for command in (
            ("study", run, "--out", tmp_path / "out"),
            ("study", "pack", run),
            ("study", "export", run, "--junit", tmp_path / "x.xml"),
            ("site", "build", "--results", run.parent, "--out", tmp_path / "site"),
        ):
            done = probatio(*command)
            assert done.returncode == 0, done.output
        ended.set()
        listening.join()
    assert asked == []
    assert json.loads((run / POINTER).read_text())["address"] == address
