#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that what adapters declare exists and is unambiguous."""
import unittest

import judge
import packages
import registry


class Adapters(unittest.TestCase):
    def test_name_goldens_that_exist_or_are_recorded(self):
        for one in registry.engines():
            for run in one.all_runs():
                if run.golden not in judge.RECORDED:
                    self.assertTrue((judge.folder_of(run.golden) / "activations.h5").exists(), run)

    def test_give_every_run_a_name_of_its_own(self):
        names = [run.name(one.name) for one in registry.engines() for run in one.all_runs()]

        self.assertEqual(len(names), len(set(names)))

    def test_take_releases_of_unpacked_packages_from_one_place(self):
        texts = {path: path.read_text(encoding="utf-8") for path in (registry.HERE / "adapters").glob("*.py")}
        for version, _ in packages.PACKAGES.values():
            self.assertEqual([path.name for path, text in texts.items() if version in text], [])


if __name__ == "__main__":
    unittest.main()
