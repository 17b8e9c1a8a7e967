#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows what the table of the field says of made-up results, when it is written, and how values are traced."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import judge
import page
import table
from registry import Bug, Engine, Note, Run
from tracing import Bindings, Results

BEFORE, AFTER = Run("1.0", "m3-even-f32"), Run("1.1", "m3-even-f32")
BUG = Bug("a weight is dropped", "router", "router-bias-dropped", BEFORE, AFTER)


def record(component: str, status: str, deviation=None, mode: str = "isolated") -> dict:
    return {"component": component, "status": status, "deviation": deviation, "mode": mode}


def result(router: str, *causes: dict) -> dict:
    return {"components": {"router": router}, "causes": list(causes), "first": "steps/000/text",
            "system": "minimax_m3_vl", "label": "1.0", "golden": "m3-even-f32", "seconds": 1.0, "date": "2000-01-01"}


def engine(**more) -> Engine:
    return Engine("made-up", ("made-up=={version}",), (BEFORE, AFTER), adapter=__file__, **more)


def results(before: dict, after: dict) -> dict:
    return {BEFORE.name("made-up"): before, AFTER.name("made-up"): after}


class Components(unittest.TestCase):
    def test_are_as_bad_as_their_worst_tap_on_its_own_inputs(self):
        report = {"coverage": [{"component": name} for name in ("linear", "router", "silu", "swiglu")],
                  "records": [record("linear", "pass"), record("linear", "pass", {"kind": "order"}),
                              record("router", "pass", {"kind": "order"}), record("router", "fail"),
                              record("silu", "pass"), record("silu", "fail", mode="chained")]}

        self.assertEqual(judge.components(report), {"linear": "rounds differently", "router": "wrong",
                                                    "silu": "conforms", "swiglu": "not captured"})


class Bugs(unittest.TestCase):
    def found(self, before: dict, after: dict) -> str:
        return table.found_again(BUG, engine(bugs=(BUG,)), results(before, after))

    def test_are_found_if_red_and_named_before_and_right_after(self):
        named = {"fault": "router-bias-dropped", "text": "the bias is dropped"}

        self.assertEqual(self.found(result("wrong", named), result("rounds differently")), "")

    def test_are_not_found_without_the_name_of_the_cause(self):
        other = {"fault": "other", "text": ""}

        self.assertIn("not among the causes", self.found(result("wrong", other), result("conforms")))

    def test_are_not_found_if_the_release_before_is_right(self):
        self.assertIn("not wrong", self.found(result("conforms"), result("conforms")))

    def test_are_not_repaired_by_a_release_that_shows_nothing(self):
        named = {"fault": "router-bias-dropped", "text": ""}

        self.assertIn("is not captured", self.found(result("wrong", named), result("not captured")))


class Page(unittest.TestCase):
    def test_gives_the_reason_of_every_wrong_cell(self):
        note = Note("router", "the bias is rounded", "router.py:7", version=("1.0",))

        text = table.page([engine(notes=(note,))], results(result("wrong"), result("wrong")))

        self.assertIn("| 1.0 | m3-even-f32 | `router` | the bias is rounded (router.py:7) |", text)
        self.assertIn("| 1.1 | m3-even-f32 | `router` | not explained |", text)

    def test_lists_a_component_once_for_all_runs_of_a_model(self):
        text = table.page([engine()], results(result("conforms"), result("wrong")))

        self.assertIn("| `router` | yes | **wrong** |", text)


class Writing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "field.md"
        self.both = results(result("wrong"), result("conforms"))

    def write(self, engines: list[Engine], found: dict) -> tuple[bool, str]:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            return page.write(self.path, engines, found), said.getvalue()

    def test_refuses_to_drop_a_result_that_the_page_shows(self):
        self.assertEqual(self.write([engine()], self.both), (True, ""))
        old = self.path.read_text(encoding="utf-8")
        self.both.pop("made-up-1.1-m3-even-f32")

        done, said = self.write([engine()], self.both)

        self.assertEqual((done, self.path.read_text(encoding="utf-8")), (False, old))
        self.assertIn("shows results of 1 runs that were not made here, made-up-1.1-m3-even-f32; run engines/", said)

    def test_refuses_to_drop_a_bug_that_the_page_shows(self):
        with_bug = Engine("made-up", (), (BEFORE,), bugs=(BUG,), adapter=__file__)
        self.assertTrue(self.write([with_bug], self.both)[0])

        self.assertIn("made-up-1.1-", self.write([with_bug], {BEFORE.name("made-up"): result("wrong")})[1])

    def test_lets_a_run_be_missing_that_the_page_does_not_show(self):
        only = {BEFORE.name("made-up"): result("wrong")}

        self.assertEqual([self.write([engine()], only)[0] for _ in range(2)], [True, True])

    def test_drops_a_run_that_no_adapter_declares(self):
        self.write([engine()], self.both)

        self.assertTrue(self.write([Engine("made-up", (), (BEFORE,), adapter=__file__)], self.both)[0])
        self.assertNotIn("1.1<br>", self.path.read_text(encoding="utf-8"))


class Doubler:
    def __call__(self, x):
        y = x + x
        y = y + 1
        return y


class Tracing(unittest.TestCase):
    def test_sees_results_and_every_binding_of_one_object(self):
        watched, other = Doubler(), Doubler()
        found = Results()
        found.watch(watched, "out")

        with found, Bindings({id(watched): "at/"}) as variables:
            variables.watch(Doubler.__call__, "y")
            watched(3)
            other(5)

        self.assertEqual(found.found, {"out": [7]})
        self.assertEqual(variables.found["at/"]["y"], [6, 7])
        self.assertEqual(Doubler()(1), 3)

    def test_refuses_a_variable_that_the_release_lacks(self):
        with self.assertRaisesRegex(LookupError, "no variable z; another release"):
            Bindings({}).watch(Doubler.__call__, "z")


if __name__ == "__main__":
    unittest.main()
