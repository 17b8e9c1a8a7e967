#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The HTML page in headless Chromium: links lead where they say, keys work, nothing is loaded, axe-core finds nothing.

usage: ci/page/page_test.py PROGRAM AXE.JS [--keep FOLDER]      (ci/setup.sh page brings Chromium and axe-core)
--keep also leaves the pages, and screenshots at 1280 and 400 pixels in both themes, in FOLDER."""
import json
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import pages  # noqa: E402
from browser import Browser, program  # noqa: E402

TAP = "steps/000/text/layers/00/attention/q_proj/out"
AT_TAP = "#/0/m3-text-bf16/tap/isolated/" + TAP
VIEWS = [("broken", ""), ("broken", AT_TAP), ("broken", "#/0/m3-text-bf16/layer/text+1"), ("broken", "#/0/nothing"), ("ranks", ""),
         ("many", ""), *(("studies", f"#/{n}") for n in range(6)), ("studies", "#/compare/0"), ("studies", "#/compare/1")]
LONGEST = 5_000_000  # bytes


class Page(unittest.TestCase):
    browser: Browser
    files: dict[str, pathlib.Path]
    axe: str

    def setUp(self) -> None:
        self.browser.complaints.clear()
        self.browser.requests.clear()
        self.browser.look()

    def text(self, selector: str = "main") -> str:
        return self.browser.run(f"document.querySelector({json.dumps(selector)}).innerText")

    def address(self) -> str:
        return self.browser.run("location.hash")

    def test_says_verdict_place_and_cause_first(self) -> None:
        self.browser.open(self.files["broken"])
        shown = self.text(".verdict")
        for words in ("BROKEN", TAP, pages.FAULT, "of even heads, channel 0", "parity repro"):
            self.assertIn(words, shown)
        top = self.browser.run("document.querySelector('.cause').getBoundingClientRect().bottom")
        self.assertLess(top, 500, "the cause is seen without scrolling")

    def test_loads_nothing_and_complains_of_nothing(self) -> None:
        for name, address in VIEWS:
            with self.subTest(name + address):
                self.browser.open(self.files[name], address)
                self.assertEqual(self.browser.complaints, [])
        beyond = [url for url in self.browser.requests if not url.startswith(("file:", "about:"))]
        self.assertEqual(beyond, [])

    def test_is_small(self) -> None:
        for name, file in self.files.items():
            self.assertLessEqual(file.stat().st_size, LONGEST, name)

    def test_a_click_on_the_framed_cell_leads_to_the_first_divergence_and_back(self) -> None:
        self.browser.open(self.files["broken"])
        self.browser.click(".heat a.first")
        self.assertEqual(self.address(), AT_TAP)
        self.assertIn(TAP, self.text())
        self.assertIn("got − rounded, in ulp", self.browser.run("document.querySelector('main').textContent"))
        self.browser.run("history.back()")
        self.browser.settle()
        self.assertIn("BROKEN", self.text(".verdict"))

    def test_every_link_leads_to_what_it_names(self) -> None:
        self.browser.open(self.files["broken"])
        links = self.browser.run("[...document.querySelectorAll('main a')].map((a) => a.getAttribute('href'))")
        self.assertGreater(len(links), 30)
        for link in sorted(set(links)):
            self.browser.run(f"location.hash = {json.dumps(link)}")
            self.browser.settle()
            with self.subTest(link):
                self.assertNotIn("Not here", self.text())
                self.assertTrue(self.browser.run("!!document.querySelector('main h1')"))

    def test_a_deep_link_opens_the_tap_with_its_map(self) -> None:
        self.browser.open(self.files["broken"], AT_TAP)
        count = "[...document.querySelectorAll('figure path[class^=fill-{}]')].reduce((n, p) => n + p.getAttribute('d').split('z').length - 1, 0)"
        cells, wrong = self.browser.run(count.format("")), self.browser.run(count.format("o"))
        self.assertEqual(cells, 64 * 48, "106 rows joined to 64, 48 columns")
        self.assertGreater(wrong, 64)
        self.assertIn("q_proj/out", self.browser.run("document.title"))

    def test_keys_walk_through_the_map_and_open_a_tap(self) -> None:
        self.browser.open(self.files["broken"])
        stops = self.browser.run("document.querySelectorAll('.heat a[tabindex=\"0\"]').length")
        self.assertEqual(stops, 1)
        self.browser.run("document.querySelector('.heat a.first').focus()")
        name = "document.activeElement.getAttribute('aria-label')"
        self.assertTrue(self.browser.run(name).startswith("linear, text 0"))
        self.browser.press("ArrowDown")
        self.assertTrue(self.browser.run(name).startswith("linear, text 1"))
        self.browser.press("ArrowLeft")
        self.assertTrue(self.browser.run(name).startswith("rms_norm, text 1"))
        self.browser.press("Home")
        self.assertEqual(self.browser.run("document.activeElement.textContent"), "text 1")
        self.browser.press("Enter")
        self.assertEqual(self.address(), "#/0/m3-text-bf16/layer/text+1")
        self.assertEqual(self.browser.run("document.activeElement.id"), "main", "the next Tab is in the new view")

    def test_the_tab_key_reaches_everything_in_the_order_of_reading(self) -> None:
        self.browser.open(self.files["broken"])
        tops, seen = [], set()
        for _ in range(60):
            self.browser.press("Tab")
            here = self.browser.run("(() => { const e = document.activeElement; const b = e.getBoundingClientRect();"
                                    "return [e.tagName + e.className, Math.round(b.top + scrollY), e.closest('.heat') !== null]; })()")
            if here[0].startswith("BODY"):
                break
            tops.append(here[1])
            seen.add(here[0][:1])
            self.assertTrue(self.browser.run("document.activeElement.matches(':focus-visible')"))
        later = [b - a for a, b in zip(tops[1:], tops[2:])]
        self.assertGreater(len(tops), 10)
        self.assertTrue(all(step > -60 for step in later), tops)

    def test_has_a_row_for_each_layer_and_rank(self) -> None:
        self.browser.open(self.files["ranks"])
        rows = self.browser.run("[...document.querySelectorAll('.heat tbody th')].map((e) => e.textContent)")
        self.assertEqual(rows[4:8], [f"text 0 · rank {rank}" for rank in range(4)])
        self.assertEqual(len(rows), 12)
        self.browser.run("[...document.querySelectorAll('button')].find((b) => b.textContent === 'ranks joined').click()")
        self.browser.settle()
        rows = self.browser.run("[...document.querySelectorAll('.heat tbody th')].map((e) => e.textContent)")
        self.assertEqual(rows, ["outside", "text 0", "text 1"])

    def test_several_goldens_are_listed_and_lead_to_theirs(self) -> None:
        self.browser.open(self.files["many"])
        names = self.browser.run("[...document.querySelectorAll('.list tbody th a')].map((a) => a.textContent)")
        self.assertEqual(len(names), len(list((pages.ROOT / "golden/data").glob("m*-text-*"))))
        self.browser.click(".list tbody th a")
        self.assertIn(names[0], self.text("h1"))
        self.assertTrue(self.browser.run("!!document.querySelector('.heat td a')"))

    def test_two_runs_are_compared(self) -> None:
        self.browser.open(self.files["studies"], "#/compare/0")
        shown = self.text()
        self.assertIn("pass → fail", shown)
        self.assertIn("8 worse" if "8 worse" in shown else "9 worse", shown)

    def test_shows_the_matrix_of_selftest_and_times_with_intervals(self) -> None:
        self.browser.open(self.files["studies"], "#/2")
        self.assertIn("rms_norm-without-one", self.text(".heat"))
        self.browser.open(self.files["studies"], "#/3")
        self.assertEqual(self.browser.run("document.querySelectorAll('svg.interval').length"), 2)
        self.browser.open(self.files["studies"], "#/compare/1")
        self.assertEqual(self.browser.run("document.querySelectorAll('svg.interval').length"), 4)

    def test_fits_into_four_hundred_pixels(self) -> None:
        self.browser.look(400)
        for name, address in VIEWS:
            with self.subTest(name + address):
                self.browser.open(self.files[name], address)
                self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 400)

    def test_follows_the_theme(self) -> None:
        colours = {}
        for theme in ("light", "dark"):
            self.browser.look(theme=theme)
            self.browser.open(self.files["broken"])
            colours[theme] = self.browser.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        self.assertGreater(min(colours["light"]), 240)
        self.assertLess(max(colours["dark"]), 40)

    def test_prints_without_its_controls(self) -> None:
        self.browser.look(media="print")
        self.browser.open(self.files["studies"])
        for selector in ("#top nav", ".tools", "button"):
            hidden = self.browser.run(f"[...document.querySelectorAll('{selector}')].every((e) => e.offsetParent === null)")
            self.assertTrue(hidden, selector)
        self.assertEqual(self.browser.run("getComputedStyle(document.querySelector('.scroll')).overflowX"), "visible")

    def test_axe_finds_nothing(self) -> None:
        for theme, width in (("light", 1280), ("dark", 1280), ("light", 400)):
            self.browser.look(width, theme)
            for name, address in VIEWS:
                with self.subTest(f"{theme} {width} {name}{address}"):
                    self.browser.open(self.files[name], address)
                    self.browser.run(self.axe)
                    found = self.browser.run("axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes[0].html))")
                    self.assertEqual(found, [])


def main(arguments: list[str]) -> int:
    if len(arguments) not in (2, 4) or (len(arguments) == 4 and arguments[2] != "--keep"):
        print("usage: ci/page/page_test.py PROGRAM AXE.JS [--keep FOLDER]", file=sys.stderr)
        return 2
    if program() is None:
        print("page_test: no Chromium here; run ci/setup.sh page, or name one in PARITY_CHROMIUM", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments[3] if len(arguments) == 4 else scratch).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        Page.files = pages.write(str(pathlib.Path(arguments[0]).resolve()), folder)
        Page.axe = pathlib.Path(arguments[1]).read_text(encoding="utf-8")
        Page.browser = Browser()
        try:
            result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromTestCase(Page))
            if len(arguments) == 4:
                keep_screenshots(Page.browser, Page.files, folder)
        finally:
            Page.browser.close()
    return 0 if result.wasSuccessful() else 1


def keep_screenshots(browser: Browser, files: dict[str, pathlib.Path], folder: pathlib.Path) -> None:
    for name, address in VIEWS:
        for width in (1280, 400):
            for theme in ("light", "dark"):
                browser.look(width, theme)
                browser.open(files[name], address)
                place = "".join(c if c.isalnum() else "-" for c in address)[:40].strip("-") or "top"
                (folder / f"{name}-{place}-{width}-{theme}.png").write_bytes(browser.screenshot())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
