"""What errors say of a call's own files, and of checkpoints that nothing names."""

import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import podsim  # noqa: E402
from podsim import _api, _own_files, _trees, _values  # noqa: E402

FOLDER = pathlib.Path("/memory/podsim-x1_")


class OwnFilesTest(unittest.TestCase):
    def said(self, error, batch=None):
        def named(tree, _):
            return list(tree), None, None

        with mock.patch.object(_trees, "named_leaves", named):
            with self.assertRaises(type(error)) as caught:
                with _own_files.in_words(FOLDER, batch):
                    raise error
        return caught.exception

    def test_fields_are_those_of_the_data_set(self):
        offers = ("but data set npz offers images (float32 [B, 8]), labels (int32 [B])")
        for reads, batch, said in (
                ("x (float32 [B, 8])", {"x": 1, "y": 2}, "batch has 'x', 'y', but the data set npz "
                 "has 'images' (float32 [B, 8]), 'labels' (int32 [B]): give batch these names, and "
                 'read them in the loss function: batch["images"]'),
                ("images (float32 [B, 7])", {"images": 1}, "batch has 'images' (float32 [B, 7]), "
                 "but the data set npz has it as float32 [B, 8]: give batch that shape and type"),
                ("w (float32 [B])", {"images": 1, "labels": 2, "w": 3}, "batch has 'images', "
                 "'labels', 'w', but the data set npz has 'images' (float32 [B, 8]), 'labels' "
                 "(int32 [B]): leave 'w' out of batch, and out of what the loss function reads")):
            error = podsim.PodsimError(f"model loss reads input {reads}, {offers}")
            self.assertEqual(str(self.said(error, batch)), said)

    def test_no_folder_is_named_that_is_gone(self):
        error = podsim.PodsimError(f"it is not known where {FOLDER} is", host="host1", step=3)
        error.add_note(f"hint: look at {FOLDER}/run/4, and elsewhere")
        said = self.said(error)
        self.assertEqual(str(said), "it is not known where this call's memory is")
        self.assertEqual((said.host, said.step), ("host1", 3))
        self.assertEqual(said.__notes__, ["hint: look at this call's memory, and elsewhere"])
        for named in (f'model_file="{FOLDER}/model"', f"model_file={FOLDER}/model",
                      f"{FOLDER}/model"):
            error = podsim.PodsimError(f"{named} has no recipe: give a rate")
            self.assertEqual(str(self.said(error)),
                             "the model of the loss function has no recipe: give a rate")
        room = self.said(OSError(f"{FOLDER} has room for 3 MiB"))
        self.assertEqual(str(room), "/memory has room for 3 MiB")
        other = OSError(2, "No such file", "x")
        self.assertIs(self.said(other), other)


class RestoreTest(unittest.TestCase):
    def test_a_checkpoint_is_named(self):
        with self.assertRaisesRegex(TypeError, "takes the weights of restore=, which is not given"):
            _values.check_is_restored({"restore_weights_only": True})
        with self.assertRaisesRegex(TypeError, "neither model_dir nor restore says which"):
            _values.check_is_kept(None, {"mode": "eval"})
        for settings in ({"restore_weights_only": True, "restore": "a/1"}, {"mode": "train"},
                         {"mode": "eval", "restore": "a/1"}):
            _values.check_is_kept(None, settings)
        _values.check_is_kept(FOLDER, {"mode": "eval"})

    def test_without_a_step_the_weights_are_those_that_were_restored(self):
        here = pathlib.Path(__file__).resolve().parent
        for kept, settings, where in (
                (here.parent, {"restore": "a/1"}, here), (here, {"restore": "a/1"}, "a/1"),
                (here, {}, here / here.name)):
            found = _api._checkpoint_of(kept, {"steps": here.name}, settings)
            self.assertEqual(found, pathlib.Path(where))
        with self.assertRaisesRegex(TypeError, "name a place of this machine"):
            _api._checkpoint_of(here, {"steps": 4}, {"restore": "gs://b/1"})


if __name__ == "__main__":
    unittest.main()
