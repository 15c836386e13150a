"""scripts/shown_output and scripts/links: what they take for a difference.

    python3 -m unittest discover -s tests/scripts"""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
shown_output = script("shown_output")
links = script("links")

PAGE = """# A page

```console
$ echo one \\
    two
one two
```

<!-- not run: needs a bucket -->
```console
$ pod_ckpt ls gs://BUCKET
```

## First

```python
$ not_a_command
```

## Second

```console
$ false
[exit code 1]
```
"""


class CommandsTest(unittest.TestCase):

    def test_finds_commands_their_output_and_why_they_are_not_run(self):
        one, bucket, last = shown_output.commands_of(PAGE.splitlines(), False)
        self.assertEqual(one.text, "echo one \\\n    two")
        self.assertEqual(PAGE.splitlines()[one.begin:one.end], ["one two"])
        self.assertEqual((one.skipped, bucket.skipped), ("", "needs a bucket"))
        self.assertEqual(last.text, "false")
        self.assertEqual(len(shown_output.commands_of(PAGE.splitlines(), True)), 2)

    def test_rows_of_tables_and_lines_of_text_have_commands(self):
        lines = ["| `./run --selftest` | outputs |", "| `--flag` | what it does |",
                 "`./check` runs all. <!-- not run: it runs this page -->"]
        row, check = shown_output.commands_of(lines, False)
        self.assertEqual((row.text, row.in_table, row.skipped), ("./run --selftest", True, ""))
        self.assertEqual((check.text, check.skipped), ("./check", "it runs this page"))


class SameTest(unittest.TestCase):

    def same(self, shown, printed, varies=False):
        return shown_output.same(shown.splitlines(), printed.splitlines(), varies)

    def test_lines_are_compared_exactly(self):
        self.assertTrue(self.same("step 47.1 us sim", "step 47.1 us sim"))
        self.assertFalse(self.same("step 47.1 us sim", "step 47.2 us sim"))
        self.assertFalse(self.same("a", "a\nb"))
        self.assertFalse(self.same("a\nb", "a"))

    def test_numbers_of_measured_lines_may_differ_but_not_their_words(self):
        self.assertTrue(self.same("took 1.2 ms wall", "took 13 us wall"))
        self.assertFalse(self.same("took 1.2 ms wall", "lost 1.2 ms wall"))
        self.assertFalse(self.same("took 1.2 ms wall", "took 1.2 ms sim"))
        self.assertTrue(self.same("  8  12.5", "  8    99", varies=True))

    def test_dots_stand_for_text_and_for_lines(self):
        self.assertTrue(self.same("a\n...\nd", "a\nb\nc\nd"))
        self.assertTrue(self.same("weights ab...", "weights ab12"))
        self.assertFalse(self.same("a\n...\nd", "a\nb"))


class PageTest(unittest.TestCase):

    def test_a_page_is_compared_and_only_rewritten_when_told_to(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            wrong = PAGE.replace("one two\n", "one three\n")
            page.write_text(wrong)
            command = [sys.executable, SCRIPTS / "shown_output", page]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("  | one three", done.stdout)
            self.assertIn("2 commands run, 1 not, 1 printed something else", done.stdout)
            self.assertEqual(page.read_text(), wrong)
            done = subprocess.run([*command, "--write"], capture_output=True, check=False)
            self.assertEqual((done.returncode, page.read_text()), (0, PAGE))


class LinksTest(unittest.TestCase):

    def test_anchors_are_spelled_as_on_the_web(self):
        self.assertEqual(links.anchor(" Whose time a step is?"), "whose-time-a-step-is")
        self.assertEqual(links.anchor(" `--faults` and [flags](x.md)"), "--faults-and-flags")

    def test_code_has_no_links(self):
        lines = [line for _, line in links.outside_code("a\n```\n[b](c)\n```\nd")]
        self.assertEqual(lines, ["a", "d"])


if __name__ == "__main__":
    unittest.main()
