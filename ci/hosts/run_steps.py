#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of the GitHub Action or of the GitLab job here, one by one, as the host would.

usage: ci/hosts/run_steps.py github WORKSPACE [NAME=VALUE...]     steps of action.yml; values are inputs
       ci/hosts/run_steps.py gitlab WORKSPACE [NAME=VALUE...]     before_script and script; values are variables
Steps that only the host can do (cache, upload) are named, and what they would upload has to exist. In WORKSPACE the
host's files appear as step_summary.md and step_output.txt. Exit status: that of the first step that fails."""
import os
import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLACE = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


class Github:
    """Evaluates the few expressions that action.yml holds; another one is an error, so that it cannot pass unseen."""

    def __init__(self, action: dict, workspace: pathlib.Path, given: dict[str, str]) -> None:
        self.action, self.workspace, self.failed = action, workspace, False
        unknown = set(given) - set(action["inputs"])
        if unknown:
            raise SystemExit(f"run_steps: action.yml has no input {', '.join(sorted(unknown))}")
        self.inputs = {name: given.get(name, str(value.get("default", ""))) for name, value in action["inputs"].items()}

    def value(self, expression: str) -> str:
        name = expression.split(".", 1)
        if name[0] == "inputs":
            return self.inputs[name[1]]
        known = {"github.action_path": str(ROOT), "runner.os": "Linux", "github.run_id": "1"}
        return known[expression]

    def text(self, value: str) -> str:
        return PLACE.sub(lambda found: self.value(found[1]), value)

    def holds(self, condition: str) -> bool:
        always = "always()" in condition
        if self.failed and not always:
            return False
        for part in condition.split(" && ") if condition else []:
            if part == "always()" or part.startswith("hashFiles("):
                continue
            left, sign, right = part.split(" ", 2)
            if (self.value(left) == right.strip("'")) != (sign == "=="):
                return False
        return True

    def run(self) -> int:
        status = 0
        summary, output = self.workspace / "step_summary.md", self.workspace / "step_output.txt"
        for file in (summary, output):
            file.write_text("")
        for step in self.action["runs"]["steps"]:
            if not self.holds(str(step.get("if", ""))):
                print(f"-- {step['name']}: left out, its condition does not hold", flush=True)
                continue
            if "uses" in step:
                code = self.host_step(step)
                status = status or code
                continue
            print(f"-- {step['name']}: {step['run']}", flush=True)
            env = os.environ | {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}
            env |= {name: self.text(str(value)) for name, value in step.get("env", {}).items()}
            folder = self.workspace / self.text(step.get("working-directory", "."))
            command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.text(step["run"])]
            code = subprocess.run(command, cwd=folder, env=env).returncode
            self.failed = self.failed or code != 0
            status = status or code
        return status

    def host_step(self, step: dict) -> int:
        given = {name: self.text(str(value)) for name, value in step.get("with", {}).items()}
        print(f"-- {step['name']}: {step['uses']}, of the host: {given}", flush=True)
        for name in ("sarif_file", "path"):
            if "cache" not in step["uses"] and name in given and not (self.workspace / given[name]).exists():
                print(f"run_steps: {given[name]} is not there to be uploaded", file=sys.stderr)
                return 1
        return 0


def run_gitlab(template: dict, workspace: pathlib.Path, given: dict[str, str]) -> int:
    job = template["parity"]
    env = os.environ | {name: str(value) for name, value in template["variables"].items()}
    env |= {"PARITY_FOLDER": str(ROOT), "CI_PROJECT_DIR": str(workspace), "GITLAB_CI": "true"} | given
    script = "\n".join(["set -eo pipefail", *job["before_script"], *job["script"]])
    print("-- before_script and script:\n" + script, flush=True)
    status = subprocess.run(["bash", "-c", script], cwd=workspace, env=env).returncode
    for path in [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]:
        if not (workspace / path).exists():
            print(f"run_steps: the artifact {path} is not there", file=sys.stderr)
            status = status or 1
    return status


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or arguments[0] not in ("github", "gitlab") or any("=" not in value for value in arguments[2:]):
        print("usage: ci/hosts/run_steps.py github|gitlab WORKSPACE [NAME=VALUE...]", file=sys.stderr)
        return 2
    workspace = pathlib.Path(arguments[1]).resolve()
    given = dict(value.split("=", 1) for value in arguments[2:])
    file = ROOT / ("action.yml" if arguments[0] == "github" else "ci/hosts/gitlab.yml")
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    return Github(document, workspace, given).run() if arguments[0] == "github" else run_gitlab(document, workspace, given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
