# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Dumps of engines become captures."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import gguf
import h5py
import numpy as np

import parity
from parity import dumps, imports, weights

NEEDS = ("numpy", "h5py", "gguf")
NORM = "steps/000/text/layers/{:02}/attention/q_norm/out"
NAMES = {
    "names": {"model.layers.*.q_norm": "steps/000/text/layers/{0:02}/attention/q_norm/out"},
    "capture": {"only": [NORM.format(0), NORM.format(1)], "attention": "other"},
}


class Imports(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.golden = parity.golden("m3-text-bf16")
        self.dump = {f"model.layers.{layer}.q_norm": np.asarray(self.golden[NORM.format(layer)]) for layer in (0, 1)}

    def imported(self, *files, names=NAMES, **options):
        return imports.import_dumps("m3-text-bf16", self.folder / "out.h5", files, names, **options)

    def npz(self, name="dump.npz", **more) -> pathlib.Path:
        np.savez(self.folder / name, **self.dump, **more)
        return self.folder / name

    def test_of_npz_are_judged_as_captures(self):
        taken, left = self.imported(self.npz(x=np.zeros(3)))
        self.assertEqual(sorted(taken.values()), [NORM.format(0), NORM.format(1)])
        self.assertEqual(left, ["dump.npz:x"])
        self.assertTrue(
            parity.judge(
                self.folder / "out.h5", golden="m3-text-bf16", options=["--inputs", "golden", "--select", "steps/000/*"]
            )
        )

    def test_of_gguf_have_their_shapes_the_other_way_round(self):
        writer = gguf.GGUFWriter(self.folder / "dump.gguf", "test")
        for name, values in self.dump.items():
            writer.add_tensor(name, np.ascontiguousarray(values))
        for step in (
            writer.write_header_to_file,
            writer.write_kv_data_to_file,
            writer.write_tensors_to_file,
            writer.close,
        ):
            step()
        self.imported(self.folder / "dump.gguf")
        with h5py.File(self.folder / "out.h5") as file:
            np.testing.assert_array_equal(file[NORM.format(1)][()], self.dump["model.layers.1.q_norm"])

    def test_of_safetensors_keep_the_bits_of_bf16(self):
        name = "language_model.model.norm.weight"
        bits, dtype = self.golden.weights.stored(name)
        path = self.folder / "dump.safetensors"
        header = json.dumps(
            {"w": {"dtype": "BF16", "shape": list(bits.shape), "data_offsets": [0, bits.nbytes]}}
        ).encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header + bits.tobytes())
        self.assertEqual(dtype, "bf16")
        ((tensor, read),) = dumps.tensors_of(path)
        self.assertEqual(tensor, "w")
        np.testing.assert_array_equal(read().bits, bits)
        np.testing.assert_array_equal(weights.Weights(path)["w"], self.golden.weights[name])

    def test_of_one_file_by_its_name(self):
        names = {"names": {"two:model.layers.1.q_norm": NORM.format(1), "one:model.layers.0.q_norm": NORM.format(0)}}
        taken, left = self.imported(self.npz("one.npz"), self.npz("two.npz"), names=names)
        self.assertEqual(set(taken), {"one.npz:model.layers.0.q_norm", "two.npz:model.layers.1.q_norm"})
        self.assertEqual(len(left), 2)

    def test_refuse_names_that_fit_nothing_or_twice_and_sizes_that_differ(self):
        for names, words in (
            ({"nowhere": NORM.format(0)}, "fits no tensor"),
            ({"*": NORM.format(0)}, "are both"),
            ({"model.layers.*.q_norm": "steps/000/text/layers/{0:02}/attention/k_norm/out"}, "elements; the tap is"),
            ({"model.layers.*.q_norm": "steps/000/text/layers/{0:02}/attention/q_nrm/out"}, "did you mean"),
        ):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                self.imported(self.npz(), names={"names": names}, replace=True)

    def test_that_fail_leave_what_was_there(self):
        (self.folder / "out.h5").write_text("mine")
        for options, error in (({}, ValueError), ({"replace": True, "names": {"names": {"nowhere": "x"}}}, ValueError)):
            with self.assertRaises(error):
                self.imported(self.npz(), **options)
        self.assertEqual((self.folder / "out.h5").read_text(), "mine")
        self.assertEqual(len(list(self.folder.glob("out*"))), 1)

    def test_refuse_a_file_of_another_kind(self):
        with self.assertRaisesRegex(ValueError, r"dump.txt: unknown kind of file; use one of \.npz"):
            self.imported(self.folder / "dump.txt")


class Command(unittest.TestCase):
    def test_says_what_it_took_and_what_is_wrong_with_names(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            names = path / "names.json"
            np.savez(path / "d.npz", norm=np.asarray(parity.golden("m3-text-bf16")["steps/000/text/final_norm/out"]))
            words = ["m3-text-bf16", str(path / "out.h5"), str(path / "d.npz"), "--names", str(names)]
            for table, status, said in (
                ({"name": {}}, 2, "unknown table [name]"),
                ({}, 2, "no table [names]"),
                ({"names": {"norm": "steps/000/text/final_norm/out"}}, 0, "1 taps of 1 tensors"),
            ):
                names.write_text(json.dumps(table))
                output = io.StringIO()
                with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                    self.assertEqual(imports.main(words), status)
                self.assertIn(said, output.getvalue())


if __name__ == "__main__":
    unittest.main()
