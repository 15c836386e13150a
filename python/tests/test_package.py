"""The package podsim without JAX: what it writes, reads and runs.

    PODSIM_BIN=build/release/bin python3 -m unittest discover -s python/tests"""

import fractions
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import (_api, _job, _names, _npy, _process, _programs, _result,  # noqa: E402
                    _safetensors, _start, _settings, _wire)

GOLDEN = ROOT / "tests" / "golden" / "imports"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class FormatsTest(Folder):
    def test_importing_the_package_does_not_import_jax(self):
        self.assertNotIn("jax", sys.modules)

    def test_wire_writes_what_protobuf_does(self):
        message = _wire.Message().number(1, 300).number(1, 0).sized(2, "ab")
        self.assertEqual(bytes(message), b"\x08\xac\x02\x12\x02ab")
        self.assertEqual(bytes(_wire.Message().sized(3, message)),
                         b"\x1a\x07\x08\xac\x02\x12\x02ab")
        self.assertEqual(bytes(_wire.Message().sized(20, memoryview(bytes(200))))[:4],
                         b"\xa2\x01\xc8\x01")
        message.write(written := io.BytesIO())
        self.assertEqual(written.getvalue(), bytes(message))

    def test_safetensors_come_back(self):
        arrays = {"a/b": np.arange(6, dtype=np.float32).reshape(2, 3),
                  "labels": np.array([1, -2], np.int32), "one": np.float32(3).reshape(())}
        _safetensors.write(self.folder / "x", arrays)
        read = _safetensors.read(self.folder / "x")
        self.assertEqual(list(read), list(arrays))
        for name, array in arrays.items():
            np.testing.assert_array_equal(read[name], array)
            self.assertEqual((read[name].dtype, read[name].shape),
                             (array.dtype, array.shape))
        with self.assertRaisesRegex(TypeError, "x is float64"):
            _safetensors.write(self.folder / "y", {"x": np.zeros(2)})

    def test_what_goes_with_the_call_has_no_event_files(self):
        self.assertEqual(_job.flags(_api._no_events(None, {})), ["--tensorboard_dir="])
        for place, settings in ((self.folder, {}), (None, {"tensorboard_dir": "tb"}),
                                (None, {"tensorboard_dir": ""})):
            self.assertEqual(_api._no_events(place, settings), {})

    def test_metrics_stay_in_the_model_dir_unless_the_call_says_otherwise(self):
        for place, own_dir, settings, path in (
                (None, self.folder, {}, self.folder / "metrics.jsonl"),
                (None, self.folder, {"mode": "eval"}, None), (None, None, {}, None),
                ("", self.folder, {}, None), ("", None, {}, None),
                (self.folder / "m", self.folder, {"mode": "eval"}, self.folder / "m"),
                (str(self.folder / "m"), None, {}, self.folder / "m")):
            kept = _api._own_metrics(place, own_dir, settings)
            self.assertEqual(kept and kept.path, path)

    def test_flags_are_keywords(self):
        self.assertEqual(
            _job.flags({"topology": "v3-8", "learning_rate": 1e-3, "hidden": [4, 2],
                        "twist": True, "quiet": False, "seed": None}),
            ["--topology=v3-8", "--learning_rate=0.001", "--hidden=4,2", "--twist"])
        self.assertEqual(_job.flags({"twist": np.True_, "quiet": np.False_, "shuffle": np.False_,
                                     "learning_rate": fractions.Fraction(1, 8)}),
                         ["--twist", "--shuffle=false", "--learning_rate=0.125"])
        with self.assertRaisesRegex(TypeError, "did you mean batch_per_core"):
            _job.flags({"batch_per_cor": 8})

        with mock.patch.dict(_job.SETTINGS, shuffle=_settings.Setting("", "true", "HOW")):
            self.assertEqual(_job.flags({"shuffle": False}), ["--shuffle=false"])

    def test_arrays_grow_in_their_files(self):
        with _npy.Writer(self.folder / "a" / "x.npy") as file:
            file.append(np.arange(6).reshape(3, 2))
            file.append(np.ones((1, 2), np.int32))
            with self.assertRaisesRegex(ValueError, r"float32 of \(2,\) after 4 examples"):
                file.append(np.ones((1, 2), np.float32))
        read = np.load(self.folder / "a" / "x.npy")
        np.testing.assert_array_equal(read, [[0, 1], [2, 3], [4, 5], [1, 1]])
        self.assertEqual(read.dtype, np.int32)

    def test_small_whole_numbers_are_written_as_int32(self):
        for dtype in (np.int8, np.int16, np.uint16):
            most = np.iinfo(dtype).max
            with _npy.Writer(self.folder / "x.npy") as file:
                file.append(np.array([most, 0], dtype))
            read = np.load(self.folder / "x.npy")
            self.assertEqual((read.dtype, read.tolist()), (np.int32, [most, 0]))

    def test_what_does_not_fit_is_not_written(self):
        file = _npy.Writer(self.folder / "x.npy")
        self.addCleanup(file.close)
        usage = mock.Mock(free=9 << 20, total=64 << 20)
        with mock.patch("shutil.disk_usage", return_value=usage):
            file.append(np.zeros((1000, 10), np.float32))
            with self.assertRaisesRegex(OSError, "1000 examples are written, 9 MiB"):
                file.append(np.zeros((1 << 20, 10), np.float32))

    def test_optimizers_are_settings(self):
        self.assertEqual(podsim.sgd(0.1, momentum=0.9, nesterov=True).settings,
                         {"optimizer": "nesterov", "learning_rate": 0.1, "momentum": 0.9})
        self.assertEqual(podsim.adamw(1e-3, clip_norm=1.0).settings["clip_norm"], 1.0)
        with self.assertRaisesRegex(TypeError, "optimizer is 'adamw'; .* say optimizer=podsim.adamw"):
            _job.optimizer_of("adamw", None, {})
        for name in podsim.lamb(1e-3).settings:
            _names.check_names({name: 0})



class ProgramsTest(Folder):
    def model(self):
        model = self.folder / "model"
        _programs.run("pod_program", ["import", GOLDEN / "mlp.import", f"--output={model}"])
        return model

    def test_an_imported_function_is_computed(self):
        out = self.folder / "out"
        known = GOLDEN / "mlp.safetensors"
        _programs.run("pod_program", ["run", self.model(), f"--values={known}",
                                      f"--output={out}", "--precision=float32"])
        exact = _safetensors.read(known)["exact/loss"]
        self.assertLess(abs(_safetensors.read(out)["metric/loss"].mean() - exact), 1e-6)

    def test_an_imported_function_is_trained(self):
        golden = _safetensors.read(GOLDEN / "mlp.safetensors")
        for name in ("0", "1"):
            with _npy.Writer(self.folder / "train" / f"{name}.npy") as file:
                file.append(golden[f"input/{name}"])
        flags = _job.flags({
            "model_file": self.model(), "dataset": "arrays", "data_dir": self.folder,
            "topology": "v3-8", "batch_per_core": 1, "train_steps": 30,
            "model_dir": self.folder / "run", "metrics_file": self.folder / "metrics",
            **podsim.adamw(1e-2).settings})
        _process.launch(flags, progress=False)
        events = _result.read_metrics(self.folder / "metrics")
        losses = [step["loss"] for step in events["step"]]
        self.assertEqual(len(losses), 30)
        # It begins with the weights that the function was lowered with.
        self.assertAlmostEqual(losses[0], golden["exact/loss"].item(), places=2)
        self.assertLess(losses[-1], losses[0] / 2)
        weights = _result.read_weights(self.folder / "run" / "30")
        self.assertEqual(weights["dense_0/kernel"].shape, (64, 48))

    def test_a_start_is_a_checkpoint_whose_weights_a_job_takes(self):
        golden = _safetensors.read(GOLDEN / "mlp.safetensors")
        for name in ("0", "1"):
            with _npy.Writer(self.folder / "train" / f"{name}.npy") as file:
                file.append(golden[f"input/{name}"])
        weights = {name.removeprefix("variable/"): np.zeros_like(array)
                   for name, array in golden.items() if name.startswith("variable/")}
        self.assertFalse(_start.has_checkpoint(self.folder / "run"))
        _process.launch(_job.flags({
            "model_file": self.model(), "dataset": "arrays", "data_dir": self.folder,
            "topology": "v3-8", "batch_per_core": 1, "train_steps": 1,
            "model_dir": self.folder / "run", "metrics_file": self.folder / "metrics",
            **_start.write(weights, self.folder / "start"),
            **podsim.sgd(1e-2).settings}), progress=False)
        loss = _result.read_metrics(self.folder / "metrics")["step"][0]["loss"]
        self.assertAlmostEqual(loss, np.log(10), places=5)
        self.assertTrue(_start.has_checkpoint(self.folder / "run"))

    def test_what_a_program_refuses_is_an_exception(self):
        with self.assertRaisesRegex(podsim.PodsimError, "no slice is called 'v3-33'"):
            _process.launch(["--topology=v3-33"], progress=False)
        with self.assertRaisesRegex(podsim.PodsimError, "is not there"):
            _programs.find("pod_nothing")


if __name__ == "__main__":
    unittest.main()
