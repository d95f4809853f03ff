"""Installs what the browser tests need and is not here, by apt-get as root; else says in a sentence what is
skipped.

Web pages are checked, and the site is tested, in a real Chromium. Its headless shell does all of it for half
the CPU, so that is installed; a system without such a package gets the whole browser. Playwright drives the
site's tests; its own node needs libatomic.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from probatio.core.errors import CannotCheck
from probatio.jail.browser.chromium import VARIABLE, executable

FONTS = ("fonts-liberation", "fonts-dejavu-core")
BROWSERS = ("chromium-headless-shell", "chromium")
NODE_NEEDS = "libatomic1"


def missing_browser() -> str | None:
    """Why no Chromium can be started here, or None."""
    try:
        executable()
    except CannotCheck as error:
        return str(error)
    return None


def missing_driver() -> str | None:
    """Why Playwright can't be started here, or None."""
    try:
        from playwright._impl._driver import compute_driver_executable
    except ModuleNotFoundError:
        return "Playwright is not installed: pip install playwright"
    node = str(compute_driver_executable()[0])
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        return f"Playwright's node can't be started: {error.strerror}."
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["it says nothing"])[0].removeprefix(f"{node}: ")
        return f"Playwright's node can't be started: {why}. Install the package {NODE_NEEDS}."
    return None


def install(*packages: str) -> bool:
    words = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Say what is missing, and install it where that is wanted and possible."""
    browser, driver = missing_browser(), missing_driver()
    if sys.argv[1:] == ["no"]:
        print("BROWSER=no: the tests that need a browser are skipped.")
    elif browser and os.environ.get(VARIABLE):
        print(f"{browser} The tests that need a browser are skipped.")
    elif (browser or driver) and (os.geteuid() != 0 or not shutil.which("apt-get")):
        print(
            f"{browser or driver} Installing it takes root and apt-get: the tests that need it are skipped."
        )
    elif browser or driver:
        install_missing(browser is not None, driver is not None)


def install_missing(browser: bool, driver: bool) -> None:
    print("Installing for the tests by apt-get, with their libraries:")
    if browser:
        print(f"  {BROWSERS[0]} (290 MB) and {', '.join(FONTS)}")
        print(
            "  To avoid this, press Ctrl-C: make test PROBATIO_CHROMIUM=/path/to/chromium, or make test "
            "BROWSER=no"
        )
    if driver:
        print(f"  {NODE_NEEDS}, for Playwright's own node")
    subprocess.run(["apt-get", "update"], capture_output=True, check=False)
    if browser and not any(install(name, *FONTS) for name in BROWSERS):
        print("Chromium could not be installed: the tests that need a browser are skipped.")
    if driver and not install(NODE_NEEDS):
        print(f"{NODE_NEEDS} could not be installed: the tests of the site in a browser are skipped.")


if __name__ == "__main__":
    main()
