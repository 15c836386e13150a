"""Where a call's own files go: whatever takes room there is counted before."""

import pathlib
import sys
import unittest
from unittest import mock

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from podsim import _batches, _data, _inputs, _npy, _trees  # noqa: E402

MIB = 1 << 20
DATA = (np.zeros((4, 2)), np.zeros(4, np.int64))
DATA_BYTES = 4 * 2 * 4 + 4 * 4  # float64 as float32, int64 as int32


def call(*weights):
    """A call with these weights, on DATA."""
    return _inputs.Call(loss_fn=len, params=weights, dataset=DATA, eval_fn=None,
                        eval_dataset=None, examples=None, eval_examples=None, batch=None,
                        state=None, name="f")


class Placed(Exception):
    """In the place of what comes once the place is chosen."""


class RoomTest(unittest.TestCase):
    def setUp(self):
        def named_leaves(tree, _):
            return [str(i) for i in range(len(tree))], list(tree), len(tree)

        self.patch(_trees, "named_leaves", named_leaves)

    def patch(self, *what, **how):
        patch = mock.patch.object(*what, **how)
        self.addCleanup(patch.stop)
        return patch.start()

    def test_weights_are_counted_with_two_checkpoints_of_two_slots(self):
        weights = np.zeros((256, 1024), np.float32), np.zeros(1024)
        held_out = _batches.Arrays(DATA)
        self.assertEqual(_inputs._wanted(call(*weights), held_out, None),
                         7 * 4 * (256 * 1024 + 1024) + DATA_BYTES)
        self.assertEqual(_inputs._wanted(call(), held_out, held_out), 2 * DATA_BYTES)

    def test_weights_that_memory_has_no_room_for_go_where_temporary_files_do(self):
        def usage(folder):
            return mock.Mock(free=(8 if str(folder) == "/dev/shm" else 15) * MIB, total=0)

        self.patch(_npy.shutil, "disk_usage", usage)
        self.patch(_data, "folder_in_memory", return_value="/dev/shm")
        self.patch(_data.tempfile, "gettempdir", return_value="/other")
        self.patch(_data, "source_of",
                   return_value=mock.Mock(**{"stored_bytes.return_value": DATA_BYTES}))
        for checked in ("_check", "_checks", "_params"):
            self.patch(_inputs, checked)
        for mib, place in ((1, "/dev/shm"), (2, "/other")):
            with mock.patch.object(_inputs._guard, "folder", side_effect=Placed) as folder:
                with self.assertRaises(Placed), \
                        _inputs.written(call(np.zeros(mib * MIB // 4, np.float32)), {}):
                    pass
            folder.assert_called_once_with(place)
        with self.assertRaisesRegex(OSError, "weights need 22 MiB, but /dev/shm has room for 8 MiB, "
                                    "/other has room for 15 MiB: set TMPDIR"), \
                _inputs.written(call(np.zeros(3 * MIB // 4, np.float32)), {}):
            pass


if __name__ == "__main__":
    unittest.main()
