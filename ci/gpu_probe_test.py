#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/gpu/probe expands its patterns, draws operands lane by lane, and tells recorded answers apart."""
import contextlib
import fnmatch
import io
import pathlib
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "gpu" / "probe"
sys.path.insert(0, str(FOLDER))

import document  # noqa: E402
import draw  # noqa: E402
import forms  # noqa: E402
import probe  # noqa: E402

KINDS = ("f32", "f64", "bf16", "calm-e4m3x4", "tf32", "b16", "b64", "smallx80")
EQUAL, LOOSE = "add.rn.f32", "lg2.approx.f32"


def answered(**changed: bytes) -> dict:
    """A document of two forms with 256 lanes, whose results are zeros where they are not given."""
    results = {name: document.packed(changed.get(name, bytes(1024))) for name in (EQUAL, LOOSE)}
    return {"device": "a device", "seed": "1", "results": results, "refused": {}}


def compared(ours: dict, theirs: dict) -> tuple[int, str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = probe.beside(ours, theirs)
    return status, printed.getvalue()


class Probe(unittest.TestCase):
    def test_expands_every_choice(self):
        self.assertEqual(forms.expanded("a{,.b}{.c,.d} e"), ["a.c e", "a.d e", "a.b.c e", "a.b.d e"])
        form, = forms.simple("lop3.b32 b32 b32 small b32 | 0x01")
        self.assertEqual((form.name, form.text), ("lop3.b32 small 0x01", "lop3.b32 o0, i0, i1, i2, 0x01;"))

    def test_names_a_form_once(self):
        named = [form.name for module in (probe.arithmetic, probe.warps, probe.every) for form in module.forms()]
        self.assertEqual(len(named), len(set(named)))

    def test_draws_fewer_lanes_as_the_first_of_more(self):
        for kind in KINDS:
            few, many = draw.words(kind, 128, "1 0"), draw.words(kind, 512, "1 0")
            self.assertEqual([column[:512] for column in many], few, kind)
            self.assertNotEqual(draw.words(kind, 128, "1 1"), few, kind)

    def test_shortens_in_whole_blocks_but_not_a_form_of_every_number(self):
        all_forms = probe.every_form()
        self.assertEqual([document.shortened(all_forms[EQUAL], lanes).lanes for lanes in (0, 1, 300)], [2048, 128, 256])
        whole = all_forms["every f16: ex2.approx.f16"]
        self.assertEqual(document.shortened(whole, 128), whole)

    def test_cuts_every_column_of_a_result(self):
        form = probe.every_form()["neg.f64"]
        columns = [bytes([value]) * 4 * form.lanes for value in (1, 2)]
        self.assertEqual(document.first_lanes(form, b"".join(columns), 128), bytes([1]) * 512 + bytes([2]) * 512)

    def test_compares_the_lanes_that_both_have(self):
        self.assertEqual(compared(answered(), answered(**{EQUAL: bytes(512)}))[0], 0)
        self.assertEqual(compared(answered(), answered(**{EQUAL: bytes(508) + b"\1\0\0\0"}))[0], 1)

    def test_fails_for_a_changed_word_and_names_the_form(self):
        status, text = compared(answered(), answered(**{EQUAL: bytes(1020) + b"\1\0\0\0"}))
        self.assertEqual(status, 1)
        self.assertRegex(text, rf"DIFFERENT {EQUAL}: 1 of 256; of \w{{8}} \w{{8}}: 00000000, not 00000001\nFAIL ")

    def test_forgives_a_loose_form_and_counts_it(self):
        status, text = compared(answered(), answered(**{LOOSE: bytes([7]) * 1024}))
        self.assertEqual((status, text.splitlines()[-1]), (0, "PASS  a device beside a device: {'equal': 1, 'loose': 1}"))

    def test_fails_if_nothing_is_compared(self):
        self.assertEqual(compared(answered() | {"results": {}}, answered())[0], 1)
        with self.assertRaisesRegex(probe.Failed, "no form matches typo"):
            probe.against(answered(), pathlib.Path("/bin/false"), ["typo*"])
        with self.assertRaisesRegex(probe.Failed, "/bin/false ended with 1"):
            probe.against(answered(), pathlib.Path("/bin/false"), [EQUAL])

    def test_fails_for_a_form_that_one_side_refuses_but_not_for_one_that_it_was_not_asked(self):
        ours = answered()
        del ours["results"][EQUAL]
        self.assertEqual(compared(ours, answered())[0], 0)
        ours["refused"][EQUAL] = "not known"
        self.assertEqual(compared(ours, answered())[0], 1)
        theirs = answered()
        del theirs["results"][EQUAL]
        self.assertEqual(compared(ours, theirs)[0], 1, "a form that nobody recorded is executed all the same")

    def test_writes_what_it_reads(self):
        with tempfile.TemporaryDirectory() as name:
            for suffix in (".json", ".json.xz"):
                path = pathlib.Path(name) / f"answers{suffix}"
                document.write(path, answered())
                self.assertEqual(document.read(path), answered())

    def test_has_recorded_answers_of_a_gpu(self):
        recorded = document.read(FOLDER / "h100.json.xz")
        self.assertIn("H100", recorded["device"])
        named = recorded["results"].keys() | recorded["refused"].keys()
        self.assertEqual(named - probe.every_form().keys(), set())
        later = sorted(probe.every_form().keys() - named)
        self.assertEqual(later, [name for name in later if fnmatch.fnmatch(name, "wmma.*") or " on " in name or
                                 name.startswith(("every f16", "every bf16"))], "asked of no GPU")
        self.assertEqual(len(later), 28)


if __name__ == "__main__":
    unittest.main()
