#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/check_layering.py accepts a good tree and fails on every rule that it claims to prove."""
import pathlib
import tempfile
import unittest

import check_layering

SPDX = "SPDX-FileCopyrightText: The parity authors\n{0} SPDX-License-Identifier: Apache-2.0\n"
CPP = "// " + SPDX.format("//")
HASH = "# " + SPDX.format("#")
GOOD = {
    "core/tensor.hpp": CPP + "#pragma once\n#include <vector>\n",
    "core/components/norm/rms_norm.hpp": CPP + '#pragma once\n#include "core/tensor.hpp"\n',
    "reference/norm/rms_norm.cpp": CPP + '#include "core/components/norm/rms_norm.hpp"\n#include <Eigen/Dense>\n',
    "replay/spans/walk.cpp": CPP + '#include "reference/register.hpp"\n#include "golden/file.hpp"\n',
    "cli/main.cpp": CPP + '#include "benches/table.hpp"\n',
    "core/CMakeLists.txt": HASH + "parity_add_library(core SOURCES tensor.cpp)\n",
    "reference/CMakeLists.txt": HASH + "parity_add_library(reference PUBLIC_DEPS parity::core)\n",
}


class CheckLayering(unittest.TestCase):
    def check(self, **changes: str) -> check_layering.Report:
        """The good tree with files added or replaced; a key spells `/` as `__` and `.` as `_dot_`; None removes."""
        tree = dict(GOOD)
        for key, text in changes.items():
            name = key.replace("__", "/").replace("_dot_", ".")
            tree[name] = text
        with tempfile.TemporaryDirectory() as folder:
            for name, text in tree.items():
                if text is None:
                    continue
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_layering.check(pathlib.Path(folder))

    def assert_violation(self, part: str, **changes: str) -> None:
        violations = self.check(**changes).violations
        self.assertEqual(len(violations), 1, violations)
        self.assertIn(part, violations[0])

    def test_accepts_a_good_tree(self):
        report = self.check()
        self.assertEqual(report.violations, [])
        self.assertEqual(report.warnings, [])
        self.assertEqual(report.components, 1)
        self.assertEqual(report.files, len(GOOD))

    def test_refuses_a_folder_of_too_many_files(self):
        full = {f"core/f{i}_dot_cpp": CPP for i in range(check_layering.FULL_FOLDER)}
        self.assert_violation("core/: 65 C++ files", **full)
        self.assertEqual(self.check(**{f"core/norm/f{i}_dot_cpp": CPP for i in range(check_layering.FULL_FOLDER)}).violations, [])

    def test_refuses_an_empty_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(check_layering.check(pathlib.Path(folder)).violations), 1)

    def test_refuses_every_include_against_the_flow(self):
        order = "core golden reference optimized replay compare cases faults reports benches cli".split()
        apart = [("golden", "reference"), ("golden", "optimized"), ("reference", "optimized")]
        for i, upper in enumerate(order):
            for lower in order[:i]:
                upward = f'#include "{upper}/x.hpp"\n'
                self.assert_violation(f"{lower}/ must not include", **{f"{lower}__a_dot_cpp": CPP + upward})
                downward = {f"{upper}__a_dot_cpp": CPP + f'#include "{lower}/x.hpp"\n'}
                if (lower, upper) in apart:
                    self.assert_violation(f"{upper}/ must not include", **downward)
                else:
                    self.assertEqual(self.check(**downward).violations, [])

    def test_refuses_includes_between_backends(self):
        backends = {f"optimized__{name}__backend_dot_cpp": CPP for name in ("cpu", "cuda", "cuda_host")}
        of_cuda = CPP + '#include "optimized/cuda/launch.hpp"\n'
        self.assert_violation("optimized/cpu/norm/rms_norm.cpp:3: the backend cpu must not include",
                              optimized__cpu__norm__rms_norm_dot_cpp=of_cuda, **backends)
        for name in ("cuda__norm__rms_norm", "cuda_host__place", "registry_test"):
            self.assertEqual(self.check(**{f"optimized__{name}_dot_cpp": of_cuda}, **backends).violations, [])

    def test_refuses_helpers_of_tests_in_the_program(self):
        helper = CPP + '#include "core/testing/refusal.hpp"\n'
        self.assert_violation("is for tests", golden__a_dot_cpp=helper)
        for name in ("golden__a_test_dot_cpp", "golden__testing__a_dot_cpp"):
            self.assertEqual(self.check(**{name: helper}).violations, [])

    def test_names_the_line(self):
        self.assert_violation("reference/a.cpp:4: reference/ must not include optimized/simt/warp.hpp",
                              reference__a_dot_cpp=CPP + '\n#  include "optimized/simt/warp.hpp"\n')

    def test_refuses_angle_brackets_for_the_project(self):
        self.assert_violation("angle brackets", reference__a_dot_cpp=CPP + "#include <core/tensor.hpp>\n")
        self.assert_violation("must not include", reference__a_dot_cpp=CPP + "#include <replay/spans/walk.hpp>\n")

    def test_refuses_relative_includes(self):
        self.assert_violation("from the repository root", core__a_dot_cpp=CPP + '#include "tensor.hpp"\n')
        self.assert_violation("from the repository root", core__a_dot_cpp=CPP + '#include "../replay/walk.hpp"\n')

    def test_ignores_includes_in_comments_and_strings(self):
        text = CPP + '// #include "cli/x.hpp"\n/*\n#include "cli/x.hpp"\n*/\nauto s = R"(\n#include "cli/x.hpp"\n)";\n'
        self.assertEqual(self.check(core__a_dot_cpp=text).violations, [])

    def test_refuses_linking_against_the_flow(self):
        self.assert_violation("core/ must not link parity::replay",
                              core__CMakeLists_dot_txt=HASH + "parity_add_library(core PUBLIC_DEPS parity::replay)\n")

    def test_refuses_a_component_that_does_not_stand_in_the_same_place_everywhere(self):
        self.assert_violation("no reference/norm/rms_norm.cpp", reference__norm__rms_norm_dot_cpp=None)
        self.assert_violation("move it to the folder of its topic",
                              core__components__a_dot_hpp=CPP + "#pragma once\n")
        self.assert_violation("optimized/cpu/rope/rms_norm.cpp: the topic of rms_norm is norm",
                              core__components__rope__turn_dot_hpp=CPP + "#pragma once\n",
                              reference__rope__turn_dot_cpp=CPP, optimized__cpu__rope__rms_norm_dot_cpp=CPP)
        self.assert_violation("reference/misc/a.cpp: core/components/ has no topic misc", reference__misc__a_dot_cpp=CPP)
        self.assertEqual(self.check(optimized__cpu__simd__a_dot_cpp=CPP).violations, [])

    def test_refuses_a_decision_record_that_is_not_listed(self):
        page = {"docs__adr__0001-x_dot_md": "# 0001: X\n"}
        self.assert_violation("docs/adr/0001-x.md: not listed", **page)
        self.assertEqual(self.check(docs__README_dot_md="[0001](adr/0001-x.md)\n", **page).violations, [])

    def test_refuses_files_above_500_lines_and_reports_above_300(self):
        self.assert_violation("503 lines", core__a_dot_cpp=CPP + "\n" * 501)
        self.assertIn("302 lines", self.check(core__a_dot_cpp=CPP + "\n" * 300).warnings[0])
        self.assertEqual(self.check(core__a_dot_def=CPP + "\n" * 600).violations, [])
        self.assertEqual(self.check(core__a_dot_cpp=CPP + "// Generated by x.py\n" + "\n" * 600).violations, [])

    def test_reports_long_functions(self):
        text = CPP + "namespace parity {\nstruct S {\n  int f(int x) {\n" + "    {\n    }\n" * 30 + "  }\n};\n}\n"
        warnings = self.check(core__a_dot_cpp=text).warnings
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn("core/a.cpp:5: f has 62 lines", warnings[0])
        brief = text.replace("    {\n    }\n" * 30, '    const char* s = "{"; // {\n')
        self.assertEqual(self.check(core__a_dot_cpp=brief).warnings, [])

    def test_refuses_a_file_without_licence_lines(self):
        self.assert_violation("SPDX", core__a_dot_cpp="int x;\n")
        self.assert_violation("SPDX", ci__a_dot_sh="#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n")

    def test_refuses_a_header_without_pragma_once_and_using_namespace(self):
        self.assert_violation("#pragma once", core__a_dot_hpp=CPP)
        self.assert_violation("using namespace", core__a_dot_hpp=CPP + "#pragma once\nusing namespace std;\n")


if __name__ == "__main__":
    unittest.main()
