#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows what llama_cpp_dump refuses, and when llama.cpp is built again. Needs a C++ compiler, but not llama.cpp."""
import contextlib
import io
import pathlib
import subprocess
import tempfile
import time
import unittest
from unittest import mock

import llama_cpp_build
import packages

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
        subprocess.run(["c++", "-std=c++20", "-I", llama_cpp_build.DUMP.parent, cls.folder / "reader.cpp", "-o",
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


class Builds(unittest.TestCase):
    def setUp(self):
        here = tempfile.TemporaryDirectory()
        self.addCleanup(here.cleanup)
        self.folder, self.builds = pathlib.Path(here.name), 0
        self.dump = self.folder / "dump.cpp"
        self.dump.write_text("1", encoding="utf-8")
        build = llama_cpp_build
        for owner, name, stand_in in ((packages, "fetch", self.fetch), (build, "compile_all", self.compile_all),
                                      (build, "SOURCES", (self.dump,))):
            patch = mock.patch.object(owner, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def fetch(self, name: str, version: str) -> pathlib.Path:
        (self.folder / version / "vendor/llama.cpp").mkdir(parents=True, exist_ok=True)
        return self.folder / version

    def compile_all(self, source: pathlib.Path, folder: pathlib.Path) -> None:
        (folder / "llama_cpp_dump").touch()
        self.builds += 1

    def after(self, version: str = "1.0") -> int:
        """The number of builds after one more start of the script."""
        llama_cpp_build.main(version, self.folder / "llama.cpp")
        return self.builds

    def test_are_made_once_for_a_release_and_the_text_of_the_dump(self):
        self.assertEqual([self.after(), self.after(), self.after("1.1"), self.after("1.1")], [1, 1, 2, 2])
        self.assertEqual((self.folder / "llama.cpp/source").resolve(), self.folder.resolve() / "1.1/vendor/llama.cpp")
        self.dump.write_text("2", encoding="utf-8")

        self.assertEqual([self.after("1.1"), self.after("1.1")], [3, 3])

    def test_are_those_of_one_release_wherever_it_lies(self):
        self.assertNotEqual(*(llama_cpp_build.state_of(version, self.folder) for version in ("1.0", "1.1")))

    def test_are_made_again_if_the_program_is_gone_or_a_build_failed(self):
        self.after()
        (self.folder / "llama.cpp/llama_cpp_dump").unlink()
        self.assertEqual(self.after(), 2)
        self.dump.write_text("2", encoding="utf-8")
        with mock.patch.object(llama_cpp_build, "compile_all", side_effect=SystemExit(1)), \
                self.assertRaises(SystemExit):
            self.after()
        self.dump.write_text("1", encoding="utf-8")  # as it was when the build succeeded; the rest may not be

        self.assertEqual(self.after(), 3)

    def test_are_absent_without_an_index(self):
        with mock.patch.object(packages, "fetch", side_effect=packages.Unreachable("no index")), \
                contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as caught:
            self.after()

        self.assertEqual((caught.exception.code, said.getvalue()), (77, "no index\n"))

    def test_end_with_the_last_lines_of_a_tool_or_its_name(self):
        with self.assertRaisesRegex(SystemExit, "^sh ended with 3:\nwhy$"):
            llama_cpp_build.call("sh", "-c", "echo why >&2; exit 3")
        with self.assertRaisesRegex(SystemExit, "no-such-tool is not installed"):
            llama_cpp_build.call("no-such-tool")


if __name__ == "__main__":
    unittest.main()
