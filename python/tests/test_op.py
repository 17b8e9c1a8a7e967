# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Custom ops of a library that PyTorch loads are judged: a right one passes, a wrong one fails."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from parity import program

NEEDS = ("numpy", "torch")

SOURCE = """
#include <ATen/ATen.h>
#include <torch/library.h>
static at::Tensor silu(const at::Tensor& x) { return at::silu(x); }
static at::Tensor relu(const at::Tensor& x) { return at::relu(x); }
TORCH_LIBRARY(mine, library) {
  library.def("silu(Tensor x) -> Tensor", silu);
  library.def("relu(Tensor x) -> Tensor", relu);
}
"""


def built(folder: pathlib.Path) -> pathlib.Path:
    """The library of SOURCE, compiled with PyTorch's own headers."""
    import torch

    of = pathlib.Path(torch.__file__).parent
    source, library = folder / "op.cpp", folder / "op.so"
    source.write_text(SOURCE)
    abi = int(torch.compiled_with_cxx11_abi())
    words = ["-std=c++17", "-O1", "-w", "-shared", "-fPIC", f"-D_GLIBCXX_USE_CXX11_ABI={abi}"]
    headers = ["-I", str(of / "include"), "-I", str(of / "include/torch/csrc/api/include")]
    linked = ["-L", str(of / "lib"), "-ltorch_cpu", "-lc10"]
    subprocess.run(["c++", *words, *headers, "-o", str(library), str(source), *linked],
                   check=True, timeout=300)
    return library


class Ops(unittest.TestCase):
    def judged(self, word: str) -> dict:
        report = self.folder / "report.json"
        environment = {**os.environ, "PARITY_PYTHON": sys.executable}
        words = ["battery", "--kernel", word, "--cases", "12", "--json", str(report), "--quiet"]
        subprocess.run([str(program.path()), *words], env=environment, capture_output=True, timeout=300)
        (component,) = json.loads(report.read_text())["components"]
        return component

    def test_are_judged_by_their_schema(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.folder = pathlib.Path(scratch)
            library = built(self.folder)
            right = self.judged(f"op:{library}::mine::silu")
            self.assertEqual((right["component"], right["failed"]), ("silu", 0))
            self.assertGreaterEqual(right["cases"], 36)  # of three types
            self.assertGreater(self.judged(f"op:{library}::mine::relu=silu")["failed"], 12)


if __name__ == "__main__":
    unittest.main()
