"""Templates of messages: each is filled where it is used, and can be."""

import ast
import pathlib
import re
import string
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import _fits, _flax, _given, _tracing, _wrapped  # noqa: E402

PACKAGE = ROOT / "python" / "podsim"
PLACE = re.compile(r"\{(?:\d+|[a-z_]\w*)?\}")
FILLED = ("format", "replace")


def constants(tree):
    """Names of a module that are one text with places in it."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(
                node.value.value, str) and PLACE.search(node.value.value):
            yield from (each.id for each in node.targets if isinstance(each, ast.Name))


def unfilled(tree, names):
    """Lines where such a name is used and not filled."""
    filled = {id(node.value) for node in ast.walk(tree)
              if isinstance(node, ast.Attribute) and node.attr in FILLED}
    return [node.lineno for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            and node.id in names and id(node) not in filled]


def loose(tree):
    """Lines of texts with places in them that are in an expression of their own: neither a
    template by its name or in a table, nor filled, nor of an f-string."""
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    kept = (ast.Assign, ast.Dict, ast.Tuple, ast.JoinedStr, ast.Expr, ast.Call, ast.Compare)
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and PLACE.search(node.value):
            parent = parents[id(node)]
            is_filled = isinstance(parent, ast.Attribute) and parent.attr in FILLED
            if not is_filled and not isinstance(parent, kept):
                yield node.lineno


class SourcesTest(unittest.TestCase):
    def test_a_template_is_filled_where_it_is_used(self):
        for file in sorted(PACKAGE.glob("*.py")):
            tree = ast.parse(file.read_text())
            self.assertEqual(unfilled(tree, set(constants(tree))), [], file.name)
            self.assertEqual(list(loose(tree)), [], file.name)

    def test_one_that_is_not_is_found(self):
        tree = ast.parse('_A = "give {0}"\nraise TypeError(f"it is x; {_A}")\n_A.format(1)')
        self.assertEqual(unfilled(tree, set(constants(tree))), [2])
        self.assertEqual(list(loose(ast.parse('x = "say {name}" + y'))), [1])

    def test_a_text_that_is_raised_has_no_places(self):
        """Of a plain text in a raise, where the f before it is forgotten."""
        for file in sorted(PACKAGE.glob("*.py")):
            tree = ast.parse(file.read_text())
            texts = [part for node in ast.walk(tree) if isinstance(node, ast.Raise)
                     for part in ast.walk(node) if isinstance(part, ast.Constant)
                     and isinstance(part.value, str)]
            self.assertEqual([each.value for each in texts if PLACE.search(each.value)], [],
                             file.name)


class TablesTest(unittest.TestCase):
    MORE = {"near": "; did you mean x?", "shape": "(2, 3)", "examples": ": give 6",
            "called": " (jnp.x)", "function": "loss_fn"}

    def check(self, template, groups, more=None):
        said = template.format(*(f"<{i}>" for i in range(groups)), **(more or {}))
        self.assertNotRegex(said, PLACE)
        wanted = [int(name) for _, name, _, _ in string.Formatter().parse(template)
                  if name and name.isdigit()]
        for each in wanted:
            self.assertIn(f"<{each}>", said)

    def test_patterns_have_the_groups_that_their_templates_take(self):
        for pattern, template in _tracing._WAYS:
            self.check(template, re.compile(pattern).groups, self.MORE)
        for pattern, template in _flax._WAYS:
            self.check(template, re.compile(pattern).groups)

    def test_transformations_have_a_way_round(self):
        self.assertEqual(set(_wrapped._MADE_BY.values()), set(_wrapped._WAYS))
        for way in _wrapped._WAYS.values():
            self.check(way, 1)

    def test_ways_round_are_filled_with_the_function(self):
        made = _given.Call("jax.random.normal", print, {})
        for pattern, _ in _fits._WAYS:
            plain = re.sub(r"\\S|\.\*", "x", pattern.split("|")[0])
            self.assertNotRegex(_fits._way(made, plain), PLACE)
        self.assertIn("jax.random.normal(key, ...)", _fits._way(made, "PRNG key"))


if __name__ == "__main__":
    unittest.main()
