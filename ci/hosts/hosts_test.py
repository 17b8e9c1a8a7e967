#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The files for code hosts do what they say: their steps are run on a repository that was made for it, and their results are
read by the tools of others. usage: ci/hosts/hosts_test.py PROGRAM        (packages: ci/setup.sh page)"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import junitparser
import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
from annotate import annotations  # noqa: E402

SCHEMAS = {"action.yml": "vendor.github-actions", "examples/ci/github.yml": "vendor.github-workflows",
           "ci/hosts/gitlab.yml": "vendor.gitlab-ci", "examples/ci/gitlab.yml": "vendor.gitlab-ci"}
POLICY = """
[run]
candidate = "{candidate}"
goldens = ["golden/data/m3-text-bf16"]
[battery]
components = ["rms_norm"]
cases = 4
[sources]
linear = "kernels/linear.cu"
"""


class Hosts(unittest.TestCase):
    program: str

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.workspace = pathlib.Path(scratch.name)
        (self.workspace / "golden").symlink_to(ROOT / "golden")

    def steps(self, host: str, candidate: str, *given: str) -> subprocess.CompletedProcess:
        (self.workspace / "parity.toml").write_text(POLICY.format(candidate=candidate))
        program = ("program=" if host == "github" else "PARITY_PROGRAM=") + self.program
        return subprocess.run([sys.executable, "-B", str(HERE / "run_steps.py"), host, str(self.workspace), program, *given],
                              capture_output=True, text=True, timeout=300)

    def report(self, name: str) -> pathlib.Path:
        return self.workspace / "parity-report" / name

    def test_follow_the_schemas_of_their_hosts(self) -> None:
        tool = str(pathlib.Path(sys.executable).parent / "check-jsonschema")
        for file, schema in SCHEMAS.items():
            done = subprocess.run([tool, "--builtin-schema", schema, str(ROOT / file)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_hooks_name_commands_that_are_there(self) -> None:
        hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
        asked = yaml.safe_load((ROOT / "examples/ci/pre-commit.yaml").read_text())["repos"][0]["hooks"]
        self.assertTrue(all(hook["id"] in hooks for hook in asked))
        (self.workspace / "parity.toml").write_text(POLICY.format(candidate="reference"))
        words = hooks["parity-gate"]["entry"].split()
        done = subprocess.run([self.program, *words[1:]], cwd=self.workspace, capture_output=True, text=True)
        self.assertEqual((words[0], done.returncode), ("parity", 0), done.stdout + done.stderr)

    def test_a_right_kernel_passes_on_both(self) -> None:
        for host in ("github", "gitlab"):
            done = self.steps(host, "reference")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(json.loads(self.report("report.sarif").read_text())["runs"][0]["results"], [])

    def test_a_wrong_kernel_fails_and_leaves_everything_that_a_reader_needs(self) -> None:
        done = self.steps("github", "fault:linear-every-16th-column")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        summary = (self.workspace / "step_summary.md").read_text()
        self.assertLess(len(summary.encode()), 1 << 20)
        for words in ("linear-every-16th-column", "q_proj/out", "| run | BROKEN |"):
            self.assertIn(words, summary)
        self.assertIn("::error file=kernels/linear.cu,line=1,title=parity%3A m3-text-bf16#steps/000", done.stdout)
        self.assertIn("actions/upload-artifact@v4", done.stdout)
        self.assertIn("report=parity-report/report.html", (self.workspace / "step_output.txt").read_text())
        self.assertIn("BROKEN", self.report("summary.md").read_text() + self.report("report.html").read_text())

    def test_a_wrong_kernel_fails_on_gitlab_with_its_taps_as_tests(self) -> None:
        done = self.steps("gitlab", "fault:linear-every-16th-column")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        junit = junitparser.JUnitXml.fromfile(str(self.report("junit.xml")))
        cases = [case for suite in junit for case in suite]
        failing = [case for case in cases if any(isinstance(result, junitparser.Failure) for result in case.result)]
        self.assertEqual(len(failing), sum(suite.failures for suite in junit))
        self.assertEqual(len(cases), sum(suite.tests for suite in junit))
        self.assertGreaterEqual(len(failing), 8)

    def test_a_policy_with_a_mistake_fails_with_its_line(self) -> None:
        (self.workspace / "wrong.toml").write_text("[run]\ngoldens = [\"golden/data/m3-text-bf16\"]\ncandidat = \"cpu\"\n")
        done = self.steps("github", "reference", "policy=wrong.toml", "upload=false")
        self.assertEqual(done.returncode, 3)
        self.assertIn("wrong.toml:3: table [run] cannot have the key 'candidat' (did you mean 'candidate'?)", done.stderr)


class Annotations(unittest.TestCase):
    @staticmethod
    def log(count: int, text: str = "wrong") -> dict:
        place = {"physicalLocation": {"artifactLocation": {"uri": "a,b.cu"}, "region": {"startLine": 7}},
                 "logicalLocations": [{"fullyQualifiedName": "g#t"}]}
        return {"runs": [{"results": [{"level": "error", "locations": [place], "message": {"text": text}}] * count}]}

    def test_escape_what_would_end_them(self) -> None:
        self.assertEqual(annotations(self.log(1, "50%\nmore")), ["::error file=a%2Cb.cu,line=7,title=parity%3A g#t::50%25%0Amore"])

    def test_are_at_most_ten(self) -> None:
        lines = annotations(self.log(40))
        self.assertEqual(len(lines), 10)
        self.assertIn("31 more findings", lines[-1])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: ci/hosts/hosts_test.py PROGRAM")
    Hosts.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
