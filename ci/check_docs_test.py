#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/check_docs.py finds what it is to find, and takes a sound page."""
import pathlib
import tempfile
import unittest

import check_docs

SOUND = """# Title
[page](docs/page.md), [heading](docs/page.md#two-words--one), [here](#title), [away](https://example.org/x)
`behind` and `[no](link.md)` in code; see `docs/page.md`.
```
behind /tmp/x [no](link.md)
```
"""


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "docs").mkdir()
        (self.root / "docs" / "page.md").write_text("# A\n## Two `words`: one\n", encoding="utf-8")

    def found(self, text: str, name: str = "README.md") -> list[str]:
        page = self.root / name
        page.write_text(text, encoding="utf-8")
        return check_docs.violations(self.root, page)

    def assert_one(self, text: str, part: str):
        found = self.found(text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_takes_a_sound_page(self):
        self.assertEqual(self.found(SOUND.replace("two-words--one", "two-words-one")), [])

    def test_finds_links_to_no_file_and_to_no_heading(self):
        self.assert_one("[x](none.md)\n", "no such file")
        self.assert_one("![x](none.svg)\n", "no such file")
        self.assert_one("[x](docs/page.md#three)\n", "no such heading")
        self.assert_one("[x](#none)\n", "no such heading")

    def test_numbers_equal_headings(self):
        self.assertEqual(check_docs.anchors("# A b\n# A b\n```\n# no\n```\n"), {"a-b", "a-b-1"})

    def test_finds_files_that_are_gone_in_code_too(self):
        self.assert_one("`ci/none.py`\n", "ci/none.py does not exist")
        self.assert_one("```\nci/none.sh --now\n```\n", "ci/none.sh does not exist")
        self.assertEqual(self.found("`faults/catalogue/*.json` `core/<c>.hpp` https://x.org/ci/a.py\n"), [])

    def test_finds_long_lines_but_not_in_printed_tables(self):
        row = f"| {'x' * 130} |\n"
        self.assert_one("x" * 121 + "\n", "121 characters")
        self.assert_one(row, "characters")
        self.assertEqual(self.found("<!-- printed by `parity list tiles` -->\n" + row), [])

    def test_finds_words_that_may_not_return(self):
        for text in ("a norm behind it", "In front of the layer", "they hang together", "laid at the door of",
                     "choices are continued with", "a trial", "for whoever writes"):
            self.assert_one(text + "\n", "say: ")

    def test_finds_what_is_private(self):
        self.assert_one("`/home/me/x`\n", "a path of one machine")
        self.assert_one("as issue 12 wants\n", "the number of an issue")

    def test_counts_the_lines_of_the_readme_only(self):
        self.assert_one("- x\n" * 81, "81 lines, at most 80")
        self.assertEqual(self.found("- x\n" * 81, "docs/long.md"), [])

    def test_finds_sentences_that_are_too_long(self):
        self.assert_one("one " * 16 + "\n" + "two " * 15 + "end.\n", "a sentence of 32 words")
        self.assertEqual(self.found("one " * 20 + "end.\n" + "two " * 20 + "end.\n"), [])

    def test_finds_what_sources_cite_and_is_not_there(self):
        def cited(comment: str) -> list[str]:
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "docs").mkdir()
                (root / "docs/judging.md").write_text("# Judging\n## 3. Rows\n## 5d. Captures\n### Causes\n", encoding="utf-8")
                return check_docs.stale_citations(root, f"int x;\n/// {comment}\n")

        for sound in ("See docs/judging.md.", "(docs/judging.md, section 3)", "docs/judging.md, 5d: it", "docs/judging.md#causes",
                      "https://example.org/docs/none.md"):
            self.assertEqual(cited(sound), [], sound)
        self.assertEqual(cited("(docs/none.md)"), ["2: docs/none.md does not exist"])
        self.assertEqual(cited("docs/judging.md, section 4"), ["2: docs/judging.md has no section 4"])
        self.assertEqual(cited("docs/judging.md, 5e"), ["2: docs/judging.md has no section 5e"])
        self.assertEqual(cited("docs/judging.md#faults"), ["2: docs/judging.md has no heading #faults"])

    def test_reads_no_made_up_pages_of_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("a.hpp", "b.py", "b_test.py", "c.md", "d.json"):
                (root / name).write_text("docs/none.md\n", encoding="utf-8")
            self.assertEqual([file.name for file in check_docs.sources(root)], ["a.hpp", "b.py"])

    def test_counts_the_words_of_sentences(self):
        text = "# Head of it\nOne two three. Four\nfive: six.\n- seven eight\n| nine | ten a |\n|---|---|\n"
        self.assertEqual([words for words, _ in check_docs.sentences(text)], [3, 3, 2, 1, 2, 1, 2])


if __name__ == "__main__":
    unittest.main()
