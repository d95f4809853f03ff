"""The jailed browser: what a hostile page can't reach, and that nothing a page does takes the browser from
the next one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from probatio.core.errors import CannotCheck
from probatio.jail import Choice
from probatio.jail.browser import chromium
from probatio.jail.browser import driver as browser
from probatio.jail.browser import page as page_module
from probatio.jail.browser.driver import visit
from probatio.jail.browser.page import OpenPage, PageFailed

pytestmark = [pytest.mark.timeout(180), pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def one_browser() -> Iterator[None]:
    yield
    browser.close()


@pytest.fixture
def works() -> None:
    state = browser.available()
    if not state.works:
        pytest.skip(f"no browser here: {state.sentence}")


def text_of(
    html: str, after: str = "() => document.body.innerText", wait: float = 0.0, choice: Choice = "auto"
) -> str:
    async def look(page: OpenPage) -> str:
        await page.load(800, 600)
        if wait:
            await asyncio.sleep(wait)
        return str(await page.evaluate(after)).strip()

    return visit(html, look, choice)


def parent(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def browsers() -> list[int]:
    """The processes of the browser that this test run started."""
    ids = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"chrom" not in Path(os.fsdecode(words[0])).name.encode() or b"--headless=new" not in words:
                continue
            up = int(folder.name)
            while up > 1 and up != os.getpid():
                up = parent(up)
            if up == os.getpid():
                ids.append(int(folder.name))
    return sorted(ids)


@pytest.fixture
def jailed(works: None) -> int:
    """The first process of a browser that runs in our jail."""
    text_of("<p>up</p>")
    if "jail" not in browser.available().sentence:
        pytest.skip("bubblewrap does not work here")
    return browsers()[0]


class Listener:
    """A server on this machine that counts who comes."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.came = 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self.socket.accept()[0].close()
                self.came += 1


@pytest.fixture
def listener() -> Iterator[Listener]:
    server = Listener()
    yield server
    server.socket.close()
    browser.close()  # one of the browsers tried has no jail, and the next test must not meet it


def test_a_page_is_rendered_and_its_scripts_run(works: None) -> None:
    assert text_of("<p id=a></p><script>a.textContent = [1, 2].map((n) => n * 21).at(-1)</script>") == "42"


def test_a_page_has_storage_but_sees_no_other_pages(works: None) -> None:
    keep = "<script>localStorage.mine = 1; document.write(Object.keys(localStorage))</script>"
    look = "<script>document.write('found:' + Object.keys(localStorage) + document.cookie)</script>"
    assert text_of(keep) == "mine"
    assert text_of(look) == "found:"


@pytest.mark.parametrize("choice", ["auto", "none"])
def test_nothing_reaches_the_network_even_where_no_jail_is_asked_for(
    works: None, listener: Listener, choice: Choice
) -> None:
    here = f"127.0.0.1:{listener.port}"
    html = f"""<p id=out></p><img src="http://{here}/a.png"><script src="http://{here}/b.js"></script>
    <link rel=preconnect href="http://{here}"><iframe src="http://{here}/c"></iframe><script>
    const tries = [fetch("http://{here}/d"), fetch("http://{here}/e", {{ mode: "no-cors" }}),
      new Promise((yes, no) => {{
        const s = new WebSocket("ws://{here}/f"); s.onopen = yes; s.onerror = no; }})];
    navigator.sendBeacon("http://{here}/g", "x");
    new RTCPeerConnection({{ iceServers: [{{ urls: "stun:{here}" }}] }}).createDataChannel("x");
    Promise.allSettled(tries).then((all) => {{ out.textContent = all.map((one) => one.status).join(" "); }});
    </script>"""
    assert text_of(html, wait=1.0, choice=choice) == "rejected rejected rejected"
    assert listener.came == 0
    with socket.create_connection(("127.0.0.1", listener.port)):
        time.sleep(0.1)
    assert listener.came == 1, "the listener itself must be able to hear"


def test_the_page_cannot_read_files(works: None) -> None:
    html = """<p id=out>nothing</p><iframe src="file:///etc/passwd"></iframe><script>
    const say = (text) => { out.textContent = text; };
    fetch("file:///etc/passwd").then((answer) => answer.text()).then(say).catch(() => say("refused"));
    </script>"""
    assert text_of(html, wait=0.3) == "refused"


def test_the_browser_itself_has_no_network_and_sees_nothing_of_the_host(jailed: int) -> None:
    ours, theirs = Path("/proc/self/ns"), Path(f"/proc/{jailed}/ns")
    for name in ("net", "mnt", "pid", "ipc", "uts", "user"):
        assert (ours / name).readlink() != (theirs / name).readlink(), name
    root = Path(f"/proc/{jailed}/root")
    assert {place.name for place in root.iterdir()} <= {
        "usr", "bin", "sbin", "lib", "lib32", "lib64", "etc", "proc", "dev", "tmp", "opt",
    }  # fmt: skip
    assert {place.name for place in (root / "etc").iterdir()} <= {"fonts", "ld.so.cache", "alternatives"}
    assert not (root / str(Path(__file__).parent).lstrip("/")).exists()


@pytest.mark.parametrize("way", ["jail and own sandbox", "jail"])
def test_the_jail_holds_with_and_without_the_browsers_own_sandbox(
    jailed: int, monkeypatch: pytest.MonkeyPatch, way: chromium.Way
) -> None:
    browser.close()
    monkeypatch.setitem(chromium.WAYS, "bubblewrap", (way,))
    try:
        state = browser.available("bubblewrap")
        if not state.works:
            pytest.skip(f"not here: {state.sentence}")
        assert state.sentence.endswith(chromium.DESCRIPTIONS[way])
        assert text_of("<p>up</p>", choice="bubblewrap") == "up"
        switches = Path(f"/proc/{browsers()[0]}/root/proc/sys/kernel/hostname")
        with pytest.raises(OSError, match="Read-only"):
            switches.write_text("taken")
    finally:
        browser.close()


def test_the_browser_has_none_of_our_environment(works: None, monkeypatch: pytest.MonkeyPatch) -> None:
    browser.close()
    monkeypatch.setenv("PROBATIO_SECRET_OF_THIS_TEST", "hidden")
    text_of("<p>up</p>")
    for pid in browsers():
        assert b"SECRET_OF_THIS_TEST" not in Path(f"/proc/{pid}/environ").read_bytes()
    assert browsers()


def test_what_a_page_replaces_is_not_what_looks_at_it(works: None) -> None:
    html = """<p style="color: rgb(1, 2, 3)">seen</p><script>
    window.getComputedStyle = () => ({ color: "false" });
    Document.prototype.querySelector = () => null;
    JSON.stringify = Object.keys = Array.from = () => "false";
    </script>"""
    assert text_of(html, "() => getComputedStyle(document.querySelector('p')).color") == "rgb(1, 2, 3)"


def test_an_endless_loop_fails_the_page_and_leaves_the_browser(
    works: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "STEP_SECONDS", 3.0)
    text_of("<p>up</p>")
    before = browsers()[0]
    with pytest.raises(PageFailed, match="did not finish loading"):
        text_of("<script>for (;;);</script>")
    with pytest.raises(PageFailed, match="did not answer"):
        text_of("<script>setTimeout(() => { for (;;); }, 50)</script>", wait=0.2)
    assert text_of("<p>still here</p>") == "still here"
    assert browsers()[0] == before


def test_a_page_that_hoards_memory_is_stopped_and_leaves_the_browser(works: None) -> None:
    text_of("<p>up</p>")
    before = browsers()[0]
    with pytest.raises(PageFailed):
        text_of("<script>const all = []; for (;;) { const c = document.createElement('canvas'); c.width = "
                "c.height = 4000;"
                "c.getContext('2d').fillRect(0, 0, 1, 1); all.push(c); }</script>")  # fmt: skip
    assert text_of("<p>still here</p>") == "still here"
    assert browsers()[0] == before


def test_a_browser_that_died_is_replaced(works: None) -> None:
    text_of("<p>up</p>")
    first = browsers()
    os.kill(first[0], signal.SIGKILL)
    assert text_of("<p>again</p>") == "again"
    assert set(browsers()).isdisjoint(first)


def test_a_browser_that_dies_under_a_page_is_replaced_and_the_page_tried_again(works: None) -> None:
    tries = []

    async def look(page: OpenPage) -> int:
        await page.load(800, 600)
        tries.append(browsers()[0])
        if len(tries) == 1:
            os.kill(tries[0], signal.SIGKILL)
        return int(await page.evaluate("() => 7"))

    assert visit("<p>x</p>", look) == 7
    assert len(set(tries)) == 2


def test_a_page_that_always_takes_the_browser_down_fails_and_is_no_error_of_ours(works: None) -> None:
    async def look(page: OpenPage) -> object:
        await page.load(800, 600)
        os.kill(browsers()[0], signal.SIGKILL)
        return await page.evaluate("() => 7")

    with pytest.raises(PageFailed, match="brought the browser down"):
        visit("<p>x</p>", look)
    assert text_of("<p>next</p>") == "next"


def test_many_threads_share_one_browser(works: None) -> None:
    with ThreadPoolExecutor(6) as pool:
        texts = list(pool.map(lambda n: text_of(f"<p>page {n}</p>"), range(6)))
    assert texts == [f"page {n}" for n in range(6)]
    roots = [pid for pid in browsers() if b"--type=" not in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert len(roots) == 1


async def tabs(page: OpenPage) -> int:
    targets = (await page.connection.send("Target.getTargets"))["targetInfos"]
    return sum(one.get("browserContextId") == page.context and one["type"] == "page" for one in targets)


def test_dialogs_and_popups_stop_nothing(works: None) -> None:
    html = """<button onclick="window.open('about:blank'); alert(1);
      this.textContent = String(confirm('?'))">b</button>"""

    async def look(page: OpenPage) -> tuple[str, int]:
        await page.load(800, 600)
        await page.click(20, 20)
        await asyncio.sleep(0.3)
        return str(await page.evaluate("() => document.body.innerText")), await tabs(page)

    assert visit(html, look) == ("false", 1)


def test_what_frames_workers_and_popups_ask_for_counts_for_the_page(works: None) -> None:
    html = """<img src="https://a.test/1">
    <iframe sandbox="allow-scripts" srcdoc="<script>fetch('https://a.test/2')</script>"></iframe>
    <script>fetch("https://a.test/3", { method: "PUT", headers: { "x-a": "1" } }).catch(() => 0);
    window.open("https://a.test/4"); navigator.sendBeacon("https://a.test/5", "x");
    new Worker(URL.createObjectURL(new Blob(["fetch('https://a.test/6').catch(() => 0)"])));</script>"""

    async def look(page: OpenPage) -> tuple[list[str], int]:
        await page.load(800, 600)
        for _ in range(400):
            if len(page.requests) == 6:
                break
            await asyncio.sleep(0.05)
        return sorted(page.requests), await tabs(page)

    asked, open_tabs = visit(html, look)
    assert asked == [f"https://a.test/{number}" for number in range(1, 7)]
    assert open_tabs == 1


def test_keys_and_clicks_are_those_of_a_user(works: None) -> None:
    html = """<textarea id=t></textarea><script>const all = [];
    for (const kind of ["keydown", "keypress", "input", "keyup", "mousedown", "click"])
      t.addEventListener(kind, (event) => {
      const held = event.ctrlKey && "held", faked = !event.isTrusted && "faked";
      const words = [kind, event.key ?? event.data ?? event.detail, event.code, held, faked];
      document.title = all.push(words.filter(Boolean).join(" ")) && all.join("; ");
    });</script>"""

    async def look(page: OpenPage) -> list[str]:
        await page.load(800, 600)
        await page.click(20, 20)
        await page.insert("ab")
        for keys in ("Enter", "x", "Control+A", "Delete"):
            await page.press(keys)
        return list(await page.evaluate("() => [document.title, document.querySelector('textarea').value]"))

    told, left = visit(html, look)
    assert left == "", "Control+A marks all, and Delete takes it away"
    assert told.split("; ") == [
        "mousedown 1", "click 1", "input ab",
        "keydown Enter Enter", "keypress Enter Enter", "input", "keyup Enter Enter",
        "keydown x KeyX", "keypress x KeyX", "input x", "keyup x KeyX",
        "keydown Control ControlLeft held", "keydown A KeyA held", "keyup A KeyA held",
        "keyup Control ControlLeft",
        "keydown Delete Delete", "input", "keyup Delete Delete",
    ]  # fmt: skip


def test_a_page_that_goes_elsewhere_while_it_is_looked_at_is_looked_at_there(works: None) -> None:
    html = (
        "<p>up</p><script>if (!location.search) setTimeout(() => { location.href = '?again' }, 100)</script>"
    )

    async def look(page: OpenPage) -> object:
        await page.load(800, 600)
        return await page.evaluate(
            "() => new Promise((done) => setTimeout(() => done(location.search), 700))"
        )

    assert visit(html, look) == "?again"


def test_an_error_and_the_console_are_told_in_words(works: None) -> None:
    html = """<script>console.error("a", 1, null, true, { b: 2 }, [3]);
      console.log("no error"); console.warn("neither");
    Promise.reject(new TypeError("late: one")); throw new RangeError("soon")</script>"""

    async def look(page: OpenPage) -> list[str]:
        await page.load(800, 600)
        await page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
        return page.errors

    assert sorted(visit(html, look)) == ["a 1 null true {b: 2} [3]", "late: one", "soon"]


def test_chance_is_the_same_each_time(works: None) -> None:
    html = "<script>document.write([Math.random(), Math.random()])</script>"
    assert text_of(html) == text_of(html)


def test_an_error_of_the_looker_is_not_blamed_on_the_page(works: None) -> None:
    async def look(page: OpenPage) -> None:
        raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        visit("<p>x</p>", look)


def test_closing_leaves_no_process(works: None) -> None:
    text_of("<p>up</p>")
    assert browsers()
    browser.close()
    until = time.monotonic() + 60
    while browsers() and time.monotonic() < until:
        time.sleep(0.05)
    assert browsers() == []


def test_without_a_browser_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    with pytest.raises(
        CannotCheck, match=r"install it with `apt install chromium-headless-shell` \(or `chromium`\)"
    ):
        chromium.executable()


def test_playwrights_own_browser_is_found_where_the_system_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "chromium-1234" / "chrome-linux64" / "chrome"
    place.parent.mkdir(parents=True)
    place.touch(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    assert chromium.executable() == str(place)


def program(folder: Path, name: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / name
    place.touch(0o755)
    return str(place)


def test_the_headless_shell_is_taken_where_it_is_there_and_a_whole_browser_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "own"))
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    own_shell = program(tmp_path / "own" / "chromium_headless_shell-9" / "chrome-linux", "headless_shell")
    program(tmp_path / "own" / "chromium-9" / "chrome-linux", "chrome")
    assert chromium.executable() == own_shell
    whole = program(tmp_path, "chromium")
    assert chromium.executable() == whole, "one that the system keeps up to date"
    shell = program(tmp_path, "chromium-headless-shell")
    assert chromium.executable() == shell
    monkeypatch.setenv(chromium.VARIABLE, "chromium")
    assert chromium.executable() == whole
    assert chromium.title(shell, "156.0") == "Chromium headless shell 156.0"
    assert chromium.title(whole, "156.0") == "Chromium 156.0"


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(chromium.VARIABLE, "/nowhere/chromium")
    with pytest.raises(CannotCheck, match=r"PROBATIO_CHROMIUM names `/nowhere/chromium`"):
        chromium.executable()


def test_a_browser_that_does_not_start_is_an_error_and_never_a_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    browser.close()
    monkeypatch.setenv(chromium.VARIABLE, "/bin/false")
    try:
        state = browser.available()
        assert not state.works
        assert "starts in no isolation here" in state.sentence
        with pytest.raises(CannotCheck):
            text_of("<p>x</p>")
    finally:
        browser.close()
