#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that the driver of the fuzz targets notices what it looks for: a crash, a slow input, one that takes memory."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A parser with a defect for every letter.
TARGET = r"""
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <vector>
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const char letter = size == 0 ? ' ' : static_cast<char>(*data);
  if (letter == 'c') std::abort();
  if (letter == 's') for (const clock_t end = clock() + 3 * CLOCKS_PER_SEC / 2; clock() < end;) {}
  if (letter == 'e') for (;;) {}
  if (letter == 'm') { std::vector<char> bytes(size_t{65} << 20); bytes.back() = letter; }
  if (letter == 'g') for (int i = 0; i < 4; ++i) std::vector<char> bytes(size_t{32} << 20);  // never at one time
  return 0;
}
"""


class Driver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.folder = pathlib.Path(place.name)
        (cls.folder / "target.cpp").write_text(TARGET, encoding="utf-8")
        sources = [ROOT / "fuzz" / name for name in ("driver.cpp", "memory.cpp", "mutate.cpp")]
        subprocess.run(["c++", "-std=c++20", "-O1", "-fsanitize=address", f"-I{ROOT}", "-o", cls.folder / "driver",
                        cls.folder / "target.cpp", *sources], check=True)

    def tried(self, text: str, *words: str) -> subprocess.CompletedProcess:
        (self.folder / "input").write_text(text, encoding="utf-8")
        (self.folder / "fuzz-found.bin").unlink(missing_ok=True)
        return subprocess.run([self.folder / "driver", *words, "input"], cwd=self.folder, capture_output=True, text=True,
                              check=False)

    def kept(self) -> str:
        return (self.folder / "fuzz-found.bin").read_text(encoding="latin-1")

    def test_passes_a_parser_that_is_quick_and_small(self):
        done = self.tried("g", "--replay")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^PASS  0 inputs of 1 files, seed 1: .* most allocated 32\.0 MiB, process")

    def test_keeps_what_takes_more_than_its_size_and_64_mib(self):
        done = self.tried("m", "--replay")
        self.assertEqual((done.returncode, self.kept()), (1, "m"))
        self.assertIn("FAIL  an input of 1 bytes took 65.0 MiB", done.stdout)
        self.assertEqual(self.tried("m" * (2 << 20), "--replay").returncode, 0)

    def test_keeps_what_takes_longer_than_a_second_and_what_does_not_end(self):
        done = self.tried("s", "--replay")
        self.assertEqual((done.returncode, self.kept()), (1, "s"))
        self.assertRegex(done.stdout, r"FAIL  an input of 1 bytes took \d+\.\d s")
        done = self.tried("e", "--replay", "--timeout", "2")
        self.assertEqual((done.returncode, self.kept()), (1, "e"))
        self.assertIn("FAIL  an input does not end", done.stdout)

    def test_keeps_what_crashes(self):
        self.assertLess(self.tried("c", "--replay").returncode, 0)
        self.assertEqual(self.kept(), "c")

    def test_finds_a_defect_by_changes_of_the_corpus(self):
        done = self.tried("b", "--runs", "2000", "--seed", "3", "--timeout", "2")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(self.kept()[0], "csem")

    def test_asks_for_a_corpus(self):
        done = subprocess.run([self.folder / "driver"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "no corpus; name files or a folder of fuzz/corpus\n"))


if __name__ == "__main__":
    sys.exit(unittest.main())
