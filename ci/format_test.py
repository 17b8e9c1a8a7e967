#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows which trailing comments ci/format.py moves to the right margin, and that it moves them only once."""
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

import format as formatter  # ci/format.py


class ChangedSources(unittest.TestCase):
    def test_are_those_that_git_sees_as_changed_or_new(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "core").mkdir()
            for name in ("same.hpp", "changed.hpp", "gone.hpp"):
                (root / "core" / name).write_text("int x;\n", encoding="utf-8")
            git = ["git", "-c", "user.name=n", "-c", "user.email=e"]
            for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "m"]):
                subprocess.run([*git, *words], cwd=root, check=True)
            (root / "core/changed.hpp").write_text("int y;\n", encoding="utf-8")
            (root / "core/new.cpp").write_text("int z;\n", encoding="utf-8")
            (root / "core/notes.md").write_text("no source\n", encoding="utf-8")
            (root / "core/gone.hpp").unlink()
            with unittest.mock.patch.object(formatter, "ROOT", root):
                found = [path.name for path in formatter.changed_sources()]

        self.assertEqual(found, ["changed.hpp", "new.cpp"])


class OtherFiles(unittest.TestCase):
    def test_are_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text("# Head\n- a point\n", encoding="utf-8")
            with unittest.mock.patch("sys.argv", ["format.py", str(page)]):
                self.assertEqual(formatter.main(), 0)
            self.assertEqual(page.read_text(encoding="utf-8"), "# Head\n- a point\n")


class AlignShapes(unittest.TestCase):
    def test_moves_shape_comments_to_the_margin(self):
        for shape in ["(S, H)", "(H)", "()", "(S, H) bf16", "(N, T) i64, optional", "(P + S, 3*D)", "(B, heads, S)"]:
            comment = f"// {shape}"
            moved = formatter.align_shapes(f"  TensorView x;  {comment}\n")
            self.assertEqual(moved, f"  TensorView x;{comment:>{formatter.MARGIN - 15}}\n")
            self.assertEqual(formatter.align_shapes(moved), moved)

    def test_leaves_everything_else(self):
        for line in ["int n;  // (see above) count", "  // (S, H)", "n;  // shape (S, H)", "f(S, H);", "x;  // (it)"]:
            self.assertEqual(formatter.align_shapes(line), line)

    def test_keeps_two_spaces_when_the_line_is_full(self):
        line = "x" * 115 + "  // (S, H)"
        self.assertEqual(formatter.align_shapes(line), line)


if __name__ == "__main__":
    unittest.main()
