#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/check_plants.py accepts good plants and fails on every rule, and how study_plants.py reads an explanation."""
import dataclasses
import pathlib
import sys
import unittest

import check_plants

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden/capture"))
import study_plants  # pylint: disable=wrong-import-position
from plants.plant import PLANTS, Plant, add  # pylint: disable=wrong-import-position

GOOD = Plant("norm_lost", "the norm is left out", lambda model, modeling: None, ("norm-lost",), releases=("5.12.0",))


class CheckPlants(unittest.TestCase):
    def found(self, *plants: Plant) -> list[str]:
        return check_plants.violations(list(plants), {"norm-lost"}, {"5.12.0"})

    def with_one(self, **changes) -> list[str]:
        return self.found(dataclasses.replace(GOOD, **changes))

    def test_accepts_a_good_one(self):
        self.assertEqual(self.found(GOOD), [])

    def test_names_are_unique(self):
        self.assertIn("2 plants", self.found(GOOD, GOOD)[0])
        with self.assertRaises(ValueError):
            add(next(iter(PLANTS)), "again", GOOD.apply)

    def test_faults_exist(self):
        self.assertIn("no fault", self.with_one(fault=("norm-lots",))[0])

    def test_fields_are_held_to_what_capture_hf_knows(self):
        for change in (dict(name="Norm lost"), dict(does="two\nlines"), dict(apply=None), dict(model="m1"),
                       dict(releases=("5.99.0",)), dict(dtype="f16"), dict(attention="flash")):
            self.assertEqual(len(self.with_one(**change)), 1, change)


class StudyPlants(unittest.TestCase):
    def named(self, fault: tuple[str, ...], found: str) -> str:
        return study_plants.Result(dataclasses.replace(GOOD, fault=fault), "fail", "tap", found, "").named

    def test_finds_the_id_behind_a_title_with_brackets(self):
        text = "matches the reference with this bug: x (y) (norm-lost), only at the failing nodes; explains 4 of 8 failing taps; the error of the first one then uses 5% of the tolerance"
        self.assertEqual(study_plants.NAMED.findall(text), ["norm-lost"])
        self.assertEqual(study_plants.NAMED.findall("no known fault and no single change explains this"), [])

    def test_tells_right_wrong_and_uncatalogued_names_apart(self):
        self.assertEqual(self.named(("a", "b"), "b"), "right")
        self.assertEqual(self.named(("a",), "b"), "wrong")
        self.assertEqual(self.named(("a",), ""), "not")
        self.assertEqual(self.named((), "b"), "uncatalogued")
        self.assertEqual(self.named((), ""), "-")


if __name__ == "__main__":
    unittest.main()
