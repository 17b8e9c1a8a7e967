#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What ci/check_spills.py reads out of ptxas -v."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import check_spills

LOG = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'norm' for 'sm_80'
ptxas info    : Function properties for norm
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 16 registers, used 0 barriers, 416 bytes cmem[0]
ptxas info    : Compiling entry function 'gemm' for 'sm_80'
ptxas info    : Function properties for gemm
    8 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 416 bytes cmem[0]
"""


class Spills(unittest.TestCase):
    def test_are_counted_for_each_kernel(self):
        self.assertEqual(check_spills.kernels(LOG), [("norm", "sm_80", 16, 0), ("gemm", "sm_80", 255, 20)])

    def test_of_a_log_without_kernels_are_none(self):
        self.assertEqual(check_spills.kernels("ptxas fatal   : Unresolved extern function"), [])

    def test_of_other_gpus_are_told_and_forgiven(self):
        with tempfile.TemporaryDirectory() as name:
            ptxas, module = pathlib.Path(name) / "ptxas", pathlib.Path(name) / "gemm.80.ptx"
            ptxas.write_text(f"""#!/bin/bash
spilled=0
[[ $* == *{check_spills.OTHER_GPUS["80"][-1]}* ]] && spilled=4
echo "ptxas info : Compiling entry function 'gemm' for '$3'"
echo "    $spilled bytes stack frame, $spilled bytes spill stores, 0 bytes spill loads"
echo "ptxas info : Used 9 registers"
""", encoding="utf-8")
            ptxas.chmod(0o755)
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                self.assertEqual(check_spills.main(["--every-gpu", str(ptxas), str(module)]), 0)
        self.assertIn("sm_100a    9 registers, 4 bytes spilled", said.getvalue())

    def test_need_an_assembler_and_a_file(self):
        self.assertEqual(check_spills.main(["ptxas"]), 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
