"""What is refused of jax.random before anything is lowered."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import _random  # noqa: E402


class RefusalTest(unittest.TestCase):
    @staticmethod
    def raised(text):
        try:
            raise NotImplementedError(text)
        except NotImplementedError as error:
            return error

    def test_poisson_says_the_line_and_what_to_draw_instead(self):
        error = self.raised("`poisson` is only implemented for the threefry2x32 RNG, not ?")
        refusal = _random.refusal_of(error)
        self.assertIsInstance(refusal, TypeError)
        line = error.__traceback__.tb_lineno
        self.assertIn(f"called at test_random.py:{line}: count exponential gaps",
                      str(refusal))

    def test_other_errors_stay_what_they_are(self):
        error = self.raised("no such rule")
        self.assertIs(_random.refusal_of(error), error)


if __name__ == "__main__":
    unittest.main()
