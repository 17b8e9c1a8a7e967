#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows what llama_cpp_dump refuses. Needs a C++ compiler, but not llama.cpp."""
import pathlib
import subprocess
import tempfile
import time
import unittest

import registry

READER = """#include <unistd.h>
#include "llama_cpp_input.hpp"
int main(int argc, char** argv) {
  if (argc == 1) return end_with_parent(), std::puts("ready"), std::fflush(stdout), sleep(60), 0;
  const Arguments given = read_arguments(argc, argv);
  std::printf("%d%d %zu", given.half_cache, given.flash, read_calls(given.calls).size());
}
"""


class Input(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        here = tempfile.TemporaryDirectory()
        cls.addClassCleanup(here.cleanup)
        cls.folder = pathlib.Path(here.name)
        (cls.folder / "reader.cpp").write_text(READER, encoding="utf-8")
        subprocess.run(["c++", "-std=c++20", "-I", registry.HERE / "adapters", cls.folder / "reader.cpp", "-o",
                        cls.folder / "reader"], check=True)

    def read(self, *words: str, calls: str = "1 2 7 8 0 1\n") -> tuple[int, str]:
        path = self.folder / "calls"
        path.write_text(calls, encoding="utf-8")
        done = subprocess.run([self.folder / "reader", "model", path, *words], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_is_read_in_this_order(self):
        self.assertEqual(self.read("folder", "f16", "off"), (0, "10 1"))
        self.assertEqual(self.read("folder", "f32", "on", calls="1 1 7 0\n2 1 7 8 1 1\n"), (0, "01 2"))

    def test_with_an_unknown_word_is_refused(self):
        self.assertEqual(self.read("folder", "f31", "on"), (1, "llama_cpp_dump: CACHE is 'f31'; use f16 or f32\n"))
        self.assertEqual(self.read("folder", "f16", "yes"), (1, "llama_cpp_dump: FLASH is 'yes'; use on or off\n"))

    def test_with_a_wrong_number_of_arguments_is_refused(self):
        for words in (("folder", "f16"), ("folder", "f16", "on", "more")):
            status, said = self.read(*words)
            self.assertEqual(status, 1)
            self.assertIn(f"got {len(words) + 2} arguments; usage: llama_cpp_dump MODEL.gguf", said)

    def test_with_a_call_of_another_length_is_refused(self):
        for line in ("1 2 7 8 0", "1 2 7 8 0 1 2", "0 2", "-1 -2 7 8 0 1", "1 2 7 8 0 x", ""):
            status, said = self.read("folder", "f16", "on", calls=f"{line}\n")
            self.assertEqual(status, 1, line)
            self.assertIn("is not B S, ids, positions: " + line, said)

    def test_ends_the_program_with_the_process_that_started_it(self):
        started = subprocess.Popen(["sh", "-c", '"$0" & read -r word', self.folder / "reader"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.assertEqual(started.stdout.readline(), b"ready\n")
        began = time.monotonic()
        started.kill()
        started.communicate()  # until no process has the pipes open

        self.assertLess(time.monotonic() - began, 30)


if __name__ == "__main__":
    unittest.main()
