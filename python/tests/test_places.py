"""Places and names that somebody typed, and what is said of them."""

import os
import pathlib
import tempfile
import unittest

import podsim
from podsim import _inputs, _job, _result, _schedules, _values


class PlacesTest(unittest.TestCase):
    def test_only_a_shell_knows_the_tilde(self):
        with self.assertRaisesRegex(TypeError, "model_dir is '~/run'.*expanduser"):
            _job.local("model_dir", "~/run")
        with self.assertRaisesRegex(TypeError, "data_dir is '~/mnist'.*expanduser"):
            _values.check_values({"data_dir": "~/mnist"})

    def test_a_drawing_goes_into_an_svg_file(self):
        with self.assertRaisesRegex(ValueError, "'plan.png'; what is drawn is SVG"):
            _job.file_of("plan.png", ".svg", "what is drawn is SVG")
        with self.assertRaisesRegex(ValueError, "no folder 'no/such'"):
            _job.file_of("no/such/plan.svg", ".svg", "")
        with self.assertRaisesRegex(ValueError, "'gs://a/p.svg', but the file is written on this"):
            _job.file_of("gs://a/p.svg", ".svg", "")
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "plan.svg")
            self.assertEqual(_job.file_of(place, ".svg", ""), pathlib.Path(place))

    def test_checkpoints_need_a_place_that_stays(self):
        _values.check_is_kept("run", {"checkpoint_every": 2})
        _values.check_is_kept(None, {"checkpoint_every": None})
        for name in ("checkpoint_every", "checkpoint_every_seconds", "keep"):
            with self.assertRaisesRegex(TypeError, f"{name} is 2, but there is no model_dir"):
                _values.check_is_kept(None, {name: 2})

    def test_a_file_is_told_its_data_set(self):
        for place, name in (("a/train.csv", "csv"), ("a/x.tfrecord", "tfrecord"),
                            ("train.csv", "csv"), ("gs://bucket/a", "arrays")):
            with self.assertRaisesRegex(TypeError, f'say "{name}", with data_dir=\'{place}\''):
                _inputs._check_name(place)
        for place, held in (("a/b.npz", "dict(np.load('a/b.npz'))"), ("x.npy", "np.load('x.npy')")):
            with self.assertRaises(TypeError) as caught:
                _inputs._check_name(place)
            self.assertEqual(str(caught.exception), f"the data set is {place!r}, a file; give what "
                             f"it holds, {held}")


class NamesTest(unittest.TestCase):
    def test_a_job_is_a_file_or_keywords(self):
        with self.assertRaisesRegex(TypeError, "job is a dict; give the path"):
            _values.check_values({"job": {"train_steps": 4}})

    def test_what_the_package_has_not(self):
        with self.assertRaisesRegex(AttributeError, "podsim has no 'rmsprop': it has .*adamw"):
            podsim.rmsprop
        with self.assertRaisesRegex(AttributeError, "did you mean train"):
            podsim.trains

    def test_what_a_run_has_not(self):
        run = _result.Run(None, None, [], [], {}, {}, None)
        with self.assertRaisesRegex(AttributeError, "a Run has no 'history'.* evaluations"):
            run.history

    def test_a_schedule_longer_than_the_job(self):
        piece = "cosine_decay_schedule", {"init_value": 0.1, "decay_steps": 900}
        with self.assertRaisesRegex(TypeError, "falls for decay_steps=900 steps behind a warm-up of "
                                    "100, but the job ends with the warm-up; .*train_steps=1000$"):
            _schedules._check_length(piece, -96, 100)
        _schedules._check_length(piece, 900, 100)


if __name__ == "__main__":
    unittest.main()
