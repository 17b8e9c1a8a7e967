# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that is driven through its debugging pipe (file descriptors 3 and 4): no package is needed for it."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb", "--no-first-run",
         "--disable-background-networking", "--disable-extensions", "--disable-dev-shm-usage", "--remote-debugging-pipe")


def program() -> str | None:
    """The browser's path, or None."""
    return os.environ.get("PARITY_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. Everything it complains of and everything it asks of a network is kept in `complaints` and `requests`."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="parity-page-")
        to_browser, self.send_end = os.pipe()
        self.receive_end, from_browser = os.pipe()
        command = [program(), *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"]
        # The shell gives the pipes the numbers that Chromium expects, whatever numbers they have here.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(["bash", "-c", shell, "chromium", *command], pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session = b"", 0, None
        self.complaints: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)
        os.close(self.send_end)
        os.close(self.receive_end)
        for _ in range(20):  # its helpers may still write
            try:
                self.folder.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def receive(self) -> dict:
        while b"\0" not in self.rest:
            more = os.read(self.receive_end, 1 << 16)
            if not more:
                raise RuntimeError("Chromium ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        event = json.loads(message)
        method, values = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(values["exceptionDetails"].get("exception", {}).get("description", "exception"))
        if method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.complaints.append(values["entry"]["text"])
        if method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        return event

    def call(self, method: str, **values) -> dict:
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.send_end, json.dumps(message).encode() + b"\0")
        while True:
            event = self.receive()
            if event.get("id") == self.number:
                if "error" in event:
                    raise RuntimeError(f"{method}: {event['error']['message']}")
                return event["result"]

    def run(self, script: str):
        """The value of a script's last expression; a promise is awaited."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"].get("exception", {}).get("description", script))
        return done["result"].get("value")

    def open(self, file: pathlib.Path | str, address: str = "") -> None:
        """Opens a file, or a URL, at an address within it."""
        url = file if isinstance(file, str) else file.resolve().as_uri()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url + address)
        self.settle()

    def settle(self) -> None:
        """Waits until the page was drawn."""
        for _ in range(200):
            if self.run("document.readyState") == "complete":
                break
            time.sleep(0.02)
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def look(self, width: int = 1280, theme: str = "light", media: str = "") -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": theme}])

    def press(self, key: str) -> None:
        codes = {"Enter": 13, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35}
        values = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **values, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **values)
        self.settle()

    def click(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")
        self.settle()

    def screenshot(self) -> bytes:
        """A PNG of the whole page."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(picture["data"])
