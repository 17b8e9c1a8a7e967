#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows which errors of pip mean that no index is there, and that a package is unpacked whole or not at all."""
import pathlib
import subprocess
import tarfile
import tempfile
import unittest
from unittest import mock

import packages


class Errors(unittest.TestCase):
    def test_without_an_index_are_told_from_others(self):
        for said, expected in (
            ("ERROR: Could not find a version that satisfies the requirement x==1 (from versions: none)", True),
            ("ERROR: Could not install packages due to an OSError: HTTPSConnectionPool(host='x'): Max retries", True),
            ("    ERROR: Could not find a version that satisfies the requirement flit (from versions: none)", True),
            ("ERROR: Could not find a version that satisfies the requirement x==1 (from versions: 2, 3)", False),
            ("WARNING: Retrying after connection broken by 'ReadTimeoutError'\nERROR: Failed to build 'x'", False),
            ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", False),
        ):
            self.assertEqual(packages.is_unreachable(said), expected, said)

    def test_of_a_download_hold_the_last_lines_of_pip(self):
        for said, kind in (("ERROR: no x (from versions: none)", packages.Unreachable), ("ERROR: disk", RuntimeError)):
            done = subprocess.CompletedProcess([], 1, None, said)
            with mock.patch.object(subprocess, "run", lambda *words, **more: done), \
                    mock.patch.object(packages, "write_backend", lambda: ""), self.assertRaises(kind) as caught:
                packages.download("x==1", True, pathlib.Path("dl"))
            self.assertIn(f"cannot fetch x==1:\n{said}", str(caught.exception))


class Fetching(unittest.TestCase):
    def setUp(self):
        here = tempfile.TemporaryDirectory()
        self.addCleanup(here.cleanup)
        self.folder = pathlib.Path(here.name)
        self.downloads = []
        for name, stand_in in (("BUILD", self.folder / "build"), ("download", self.download)):
            patch = mock.patch.object(packages, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)
        (self.folder / "build/src").mkdir(parents=True)

    def download(self, requirement: str, source: bool, folder: pathlib.Path) -> None:
        """An archive with one folder, which has one file."""
        self.downloads.append((requirement, source))
        content = self.folder / "content"
        content.write_text(requirement, encoding="utf-8")
        folder.mkdir(parents=True)
        with tarfile.open(folder / "x.tar.gz", "w:gz") as archive:
            archive.add(content, "x-1/content")

    def test_gives_the_release_that_is_asked_for_or_that_of_the_table(self):
        version = packages.version_of("vllm")

        for given, found in (("", version), ("0.1", "0.1"), ("0.1", "0.1")):
            content = packages.fetch("vllm", given) / "content"
            self.assertEqual(content.read_text(encoding="utf-8"), f"vllm=={found}")

        self.assertEqual(self.downloads, [(f"vllm=={version}", True), ("vllm==0.1", True)])

    def test_leaves_nothing_of_an_interrupted_run(self):
        (self.folder / "build/src/vllm-0.1.partial/x-1/rest").mkdir(parents=True)

        self.assertEqual([path.name for path in packages.fetch("vllm", "0.1").iterdir()], ["content"])
        self.assertEqual([path.name for path in (self.folder / "build/src").iterdir()], ["vllm-0.1"])


if __name__ == "__main__":
    unittest.main()
