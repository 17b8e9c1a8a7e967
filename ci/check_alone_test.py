#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""ci/check_alone.py: sees what leans on a neighbour, and with which flags it looks."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_alone


class CheckAlone(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = pathlib.Path(self.scratch.name)

    def error_of(self, name: str, text: str) -> str:
        (self.root / name).write_text(text, encoding="utf-8")
        return check_alone.first_error(name, ["g++", "-std=c++20", "-I", str(self.root)], self.root)

    def test_a_file_that_leans_on_a_neighbour_fails(self) -> None:
        self.assertIn("lone.cpp: ", self.error_of("lone.cpp", "std::string f() { return {}; }\n"))
        self.assertEqual("", self.error_of("whole.cpp", "#include <string>\nstd::string f() { return {}; }\n"))

    def test_a_header_that_leans_on_a_neighbour_fails(self) -> None:
        self.assertIn("lone.hpp: ", self.error_of("lone.hpp", "#pragma once\nstd::string f();\n"))
        self.assertEqual("", self.error_of("whole.hpp", "#pragma once\n#include <string>\nstd::string f();\n"))

    def test_flags_are_without_files(self) -> None:
        command = "/usr/bin/ccache /usr/bin/c++ -DX -I/a -O2 -MD -MT o.o -MF o.d -o o.o -c /a/b.cpp"

        self.assertEqual(["/usr/bin/c++", "-DX", "-I/a", "-O2"], check_alone.flags_of(command))

    def test_batches_give_the_flags_of_their_room(self) -> None:
        entries = [("core/CMakeFiles/parity_core.dir/Unity/unity_0_cxx.cxx", "-DCORE"), ("cli/x.cpp", "-DCLI")]
        (self.root / "compile_commands.json").write_text(json.dumps(
            [{"file": str(self.root / file), "command": f"c++ {flag} -c x"} for file, flag in entries]), encoding="utf-8")

        _, rooms = check_alone.commands(self.root)

        self.assertEqual({"core": ["c++", "-DCORE"]}, rooms)

    def test_headers_need_the_flags_of_their_folder(self) -> None:
        alone = {"optimized/cpu/simd/x.cpp": ["c++", "-mavx2"]}
        rooms = {"optimized": ["c++"]}

        self.assertEqual(["c++", "-mavx2"], check_alone.flags_for("optimized/cpu/simd/y.hpp", alone, rooms))
        self.assertEqual(["c++"], check_alone.flags_for("optimized/cpu/y.hpp", alone, rooms))
        self.assertIsNone(check_alone.flags_for("optimized/torch/y.hpp", alone, rooms))


if __name__ == "__main__":
    unittest.main()
