"""What a failed call says: the same in a terminal, in a notebook and in a pipe."""

import contextlib
import io
import os
import pathlib
import pickle
import pty
import select
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import _bad_examples, _bad_ops, _display, _errors, _process, _programs  # noqa: E402

# As pod_launch prints it (tests/runtime/report/failure_test.cc).
BLOCK = """\
step 3/9, loss: 0.1
----------------------------------------------------------------
FAILED: host0 (pid 9) exited with code 1
  doing        step 4, compute
  reason       host 0: loss became infinite at step 4; lower --learning_rate or lengthen \
--warmup_steps, perhaps from an earlier checkpoint (--restore=/dev/shm/podsim-x/run/STEP)
  time         2026-11-26 07:11:19.543
  last output of host0:
    | I 07:11:19.338 joined
    | E 07:11:19.493 process 0: host 0: loss
  work         nothing was saved yet, 3 steps are lost: --checkpoint_every=N saves sooner
  exit code    1
----------------------------------------------------------------
""".splitlines()


class BadExamplesTest(unittest.TestCase):
    def test_an_array_of_a_tuple_and_the_way_round_are_named(self):
        before, behind = "host 0: loss is nan at step 1; ", " in example 5 of the data set"
        for said, shown in (
                ("1 holds the label 3, which is none of 0 to 2,",
                 ("array 1 (labels) holds the label 3, which is none of 0 to 2,",
                  "; if the classes are numbered from 1, give y - 1; if there are more than 3, give "
                  "the last layer as many outputs")),
                ("labels holds the label 30, which is none of 0 to 2,",
                 ("labels holds the label 30, which is none of 0 to 2,",
                  "; the loss has 3 classes: number them from 0 to 2, as np.unique(y, "
                  "return_inverse=True)[1] does, or give the last layer more outputs")),
                ("a/y holds the label -1, which is none of 0 to 2,",
                 ("a/y (labels) holds the label -1, which is none of 0 to 2,",
                  "; leave such examples out, or number the classes from 0")),
                ("0 holds nan", ("array 0 holds nan", "; give numbers, or leave the example out"))):
            self.assertEqual(_bad_examples.in_python(before + said + behind),
                             before + shown[0] + behind + shown[1])
        text = "host 0: loss became infinite at step 4; lower learning_rate"
        self.assertEqual(_bad_examples.in_python(text), text)


class BadOpsTest(unittest.TestCase):
    def with_way(self, op, value, ranges, behind=""):
        """What is added behind the operands, if anything is."""
        before = (f"host 0: the gradient of b is not finite at step 1; first not finite: {op} "
                  f"({op}.1, called at e.py:28) makes {value} in example 84 of the data set, from "
                  f"operands in {ranges}")
        said = _bad_ops.with_way(before + behind)
        self.assertTrue(said.startswith(before) and said.endswith(behind))
        return said[len(before):len(said) - len(behind)]

    def test_what_is_not_finite_at_0_has_a_way_round(self):
        for op, value, ranges, said in (
                ("divide", "inf", "[0.5, 0.5], [0, 0]", ": a quotient, or the gradient of a root "
                 "or a norm, at 0: add an epsilon inside it, as in jnp.sqrt(x**2 + 1e-12), or keep "
                 "0 out, as in jnp.where(x == 0, 1, x)"),
                ("divide", "nan", "[-1, 1], [-2, 3e+08]", ": a quotient, or"),
                ("power", "inf", "[0, 4], [-0.5, -0.5]", ": a quotient, or"),
                ("rsqrt", "inf", "[0, 4]", ": a quotient, or"),
                ("log", "-inf", "[0, 1]", ": a logarithm of 0: add an epsilon")):
            for behind in ("", "; lower learning_rate"):
                self.assertTrue(self.with_way(op, value, ranges, behind).startswith(said))

    def test_what_is_not_finite_elsewhere_has_none(self):
        for op, value, ranges in (
                ("divide", "inf", "[1, 1e+30], [1e-30, 1]"),
                ("divide", "nan", "[0, 1] and inf, [0, 2] and inf"),
                ("divide", "nan", "[0, 1], [0, 2] and inf"),
                ("power", "inf", "[0, 1e+30], [2, 2]"), ("log", "nan", "[-1, 0]"),
                ("rsqrt", "nan", "[-1, 4]"), ("exponential", "inf", "[0, 104.5]")):
            self.assertEqual(self.with_way(op, value, ranges), "")
        for text in ("", "host 0: loss is nan; first not finite: the input x holds nan"):
            self.assertEqual(_bad_ops.with_way(text), text)

    def test_a_job_says_it(self):
        block = [line.replace("at step 4;", "at step 4; first not finite: divide (div.1) makes nan "
                              "in row 3 of the core's batch, from operands in [0, 1], [0, 2];")
                 for line in BLOCK]
        self.assertIn("[0, 2]: a quotient, or the gradient",
                      str(_errors.of_job(block, keeps=False, code=1)))


class ReasonTest(unittest.TestCase):
    def test_the_text_is_the_reason_and_the_rest_are_attributes(self):
        error = _errors.of_job(BLOCK, keeps=False, code=1)
        self.assertEqual(str(error), "host 0: loss became infinite at step 4; lower "
                         "learning_rate or lengthen warmup_steps")
        self.assertEqual(error.reason, str(error))
        self.assertEqual((error.host, error.step), ("host0", 4))
        self.assertEqual(error.__notes__, [
            "failed: host0 (pid 9) exited with code 1 (step 4, compute)",
            "work: lost; model_dir=DIR keeps checkpoints"])
        self.assertIn("I 07:11:19.338 joined", error.details)

    def test_checkpoints_that_stay_are_named(self):
        kept = _errors.of_job(BLOCK, keeps=True, code=1)
        self.assertIn("(restore=/dev/shm/podsim-x/run/STEP)", kept.reason)
        self.assertIn("work: nothing was saved yet, 3 steps are lost: checkpoint_every=N saves "
                      "sooner", kept.__notes__)

    def test_without_a_reason_the_last_output_is_said(self):
        lines = [line for line in BLOCK if "  reason" not in line]
        error = _errors.of_job(lines, keeps=True, code=1)
        self.assertEqual(str(error), "host0 (pid 9) exited with code 1 (step 4, compute): "
                         "joined; process 0: host 0: loss")
        self.assertIn("I 07:11:19.338 joined\n", error.details)
        flags = [line.replace("host 0: loss", "--metrics_host: give --threads=2") for line in lines]
        self.assertIn("process 0: metrics_host: give threads=2",
                      str(_errors.of_job(flags, keeps=True, code=2)))

    def test_buckets_and_lists_are_written_as_in_python(self):
        for said, text in (("give --model_dir=gs://BUCKET/DIR", "give model_dir=gs://BUCKET/DIR"),
                           ("or --model_dir=runs/a", 'or model_dir="runs/a"'),
                           ("give the parts in order: 0.3,0.6",
                            "give the parts in order: [0.3, 0.6]")):
            self.assertEqual(_errors.in_python(said), text)

    def test_metrics_files_are_those_of_train(self):
        for said, ends in (
                ("there is none; pod_launch --metrics_file=FILE writes one",
                 'none; podsim.train(..., metrics_file="run.jsonl") writes one'),
                ("it is no metrics file; give what pod_launch --metrics_file=FILE wrote",
                 'file; podsim.train(..., metrics_file="run.jsonl") writes one'),
                ("empty; pod_launch --metrics_file=d/metrics.jsonl writes one",
                 'empty; podsim.train(..., metrics_file="d/metrics.jsonl") writes one')):
            self.assertTrue(_errors.in_python(said).endswith(ends), _errors.in_python(said))

    def test_of_several_hosts_and_of_the_time_before_the_first_step(self):
        for who, doing, host, step in (
                ("hosts 4-7 (pid 3) was killed", "after step 17", "hosts 4-7", 17),
                ("coordinator exited with code 3", "before the first step", "coordinator",
                 None)):
            error = _errors.of_job([f"FAILED: {who}", f"  doing        {doing}",
                                    "  reason       it is so"], keeps=True, code=1)
            self.assertEqual((error.host, error.step), (host, step))

    def test_errors_before_the_job_are_said(self):
        self.assertEqual(str(_errors.of_job(["note", "error: no"], True, 2)), "no")
        self.assertEqual(str(_errors.of_job(["note"], True, 1)), "note")
        self.assertEqual(str(_errors.of_job([], True, 7)), "pod_launch ended with 7")
        program = _errors.of_program("pod_program", "pod_program: cannot import f: --x\n", 2)
        self.assertEqual(str(program), "cannot import f: --x")
        self.assertEqual(program.details, "pod_program: cannot import f: --x")
        error = podsim.PodsimError("no")
        self.assertEqual((error.reason, error.host, error.step), ("no", None, None))

    def test_an_error_goes_to_another_process(self):
        error = pickle.loads(pickle.dumps(_errors.of_job(BLOCK, keeps=False, code=1)))
        self.assertEqual((error.host, error.step), ("host0", 4))

    def test_flags_are_keywords(self):
        for text, python in (
                ("raise --train_batch_size to 64", "raise train_batch_size to 64"),
                ("--keep=3, --twist", "keep=3, twist"),
                ("--describe explains one", "pod_launch --describe explains one"),
                ("it can be planned (pod_launch --dry_run, pod_plan) and described "
                 "(pod_launch --describe)",
                 "it can be planned (podsim.plan) and described (pod_launch --describe)"),
                ("is larger; pod_plan plans without", "is larger; podsim.plan plans without"),
                ("pod_plan compares several", "podsim.plan compares several"),
                ("which pod_plan --collective does", "which pod_plan --collective does"),
                ("such as --restore=runs/a/120; pod_ckpt ls runs/a lists them",
                 'such as restore="runs/a/120"; pod_ckpt ls runs/a lists them'),
                ("a new folder: --restore=STEP_FOLDER --restore_weights_only --model_dir=ANOTHER",
                 "a new folder: restore=STEP_FOLDER, restore_weights_only=True, model_dir=ANOTHER"),
                ("the run, such as 0.3,0.6,0.9", "the run, such as [0.3, 0.6, 0.9]"),
                ('shuffle is "yes"; give one of true, false', 'shuffle is "yes"; give True or False'),
                ("a model of your own has no recipe: the job must say batch_per_core or "
                 "train_batch_size; train_steps or epochs; learning_rate or base_learning_rate",
                 "a model of your own has no recipe: the job must say batch_per_core=8 or "
                 "train_batch_size=256; epochs=3 or train_steps=1000; "
                 "optimizer=podsim.adamw(1e-3)"),
                ("a model of your own has no recipe: give --train_steps or --epochs, --learning_rate "
                 "or --base_learning_rate, as in --epochs=1 --learning_rate=0.1",
                 "a model of your own has no recipe: give epochs=3 or train_steps=1000, "
                 "optimizer=podsim.adamw(1e-3)"),
                ("give --keep=3 --model_dir=DIR; pod_launch --keep=3 --epochs=1",
                 "give keep=3, model_dir=DIR; pod_launch --keep=3 --epochs=1"),
                ("momentum is 0.9 but optimizer=adam has none; leave it out, or give "
                 "optimizer=nesterov", "momentum is 0.9 but optimizer=podsim.adam(...) has none; "
                 "leave it out, or give it to the optimizer alone: "
                 "optimizer=podsim.sgd(0.1, momentum=0.9)"),
                ("beta1 is 0.5 but optimizer=momentum has none; leave it out, or give "
                 "optimizer=adam, adamw or lamb", "beta1 is 0.5 but optimizer=podsim.sgd(...) has "
                 "none; leave it out, or give it to the optimizer alone: "
                 "optimizer=podsim.adam(1e-3, b1=0.5)"),
                ("lr_schedule=constant has none; dataset=mnist, --topology=v3-8 and shuffle=false.",
                 'lr_schedule="constant" has none; dataset="mnist", topology="v3-8" and '
                 "shuffle=False."),
                ("topology=v3-8..v3-32, dataset=a.csv, nothing is lost: the same command goes on",
                 "topology=v3-8..v3-32, dataset=a.csv, nothing is lost: the same call goes on"),
                ("pod_launch --epochs 3", "pod_launch --epochs 3"),
                ("--no_such, a--epochs, --", "--no_such, a--epochs, --")):
            self.assertEqual(_errors.in_python(text), python)
        with self.assertRaises(podsim.PodsimError) as caught:
            _programs.run("pod_launch", ["--dry_run", "--train_batch_size=33",
                                         "--topology=v3-8"])
        self.assertIn("train_batch_size", str(caught.exception))
        self.assertNotRegex(str(caught.exception), "--|^error")


class ShownOnceTest(unittest.TestCase):
    def shown(self, lines, failed):
        shown = []
        failures = _display.FailureFilter(shown.append)
        for line in lines:
            failures.line(line)
        failures.close(failed)
        return shown

    def test_what_is_raised_is_not_shown(self):
        self.assertEqual(self.shown(BLOCK, failed=True), BLOCK[:1])
        self.assertEqual(self.shown(["warning: a", "error: no"], failed=True), ["warning: a"])
        self.assertEqual(self.shown(["[host0] W a", "[host0] E no", *BLOCK[1:]], failed=True),
                         ["[host0] W a"])

    def test_what_a_restart_follows_is_shown(self):
        lines = [*BLOCK, "restarting", *BLOCK[1:]]
        self.assertEqual(self.shown(lines, failed=True), [*BLOCK, "restarting"])
        self.assertEqual(self.shown(BLOCK, failed=False), BLOCK)

    def test_a_notebook_keeps_one_line_of_progress(self):
        outputs = []

        class Handle:
            def update(self, data, raw):
                outputs[-1] = data

        def display(data, raw, display_id):
            outputs.append(data)
            return Handle()

        ipython = types.ModuleType("IPython")
        ipython.get_ipython = type("ZMQInteractiveShell", (), {})
        modules = {"IPython": ipython, "IPython.display": mock.Mock(display=display)}
        written = io.StringIO()
        with mock.patch.dict(sys.modules, modules):
            lines = _display.Lines(written)
            for text in ("plan", "step 1/9, loss: 2", "evaluation after step 1: 3",
                         "step 9/9, loss: 1", "done"):
                lines.show(text)
        self.assertEqual(outputs, [
            {"text/plain": "step 9/9, loss: 1\nevaluation after step 1: 3"}])
        self.assertEqual(written.getvalue(), "plan\ndone\n")


class PlacesTest(unittest.TestCase):
    """The same job in a pipe, in a terminal and without any output."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def in_terminal(self, *flags):
        """What a terminal of 60 columns shows, and str() of the error."""
        said = self.folder / "said"
        code = f"""
import pathlib, sys
sys.path.insert(0, {str(ROOT / "python")!r})
import podsim
from podsim import _process
said = pathlib.Path({str(said)!r})
said.write_text("")
try:
    _process.launch({list(flags)!r}, progress=True)
except podsim.PodsimError as error:
    said.write_text(str(error))
"""
        ours, theirs = pty.openpty()
        with subprocess.Popen([sys.executable, "-c", code], stdin=theirs, stdout=theirs,
                              stderr=theirs,
                              env=os.environ | {"TERM": "xterm", "COLUMNS": "60"}):
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):  # EIO is the end
                while select.select([ours], [], [], 60)[0]:
                    shown += os.read(ours, 1 << 16)
        os.close(ours)
        return shown.decode(), said.read_text()

    def in_pipe(self, *flags):
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            try:
                _process.launch(list(flags), progress=True)
            except podsim.PodsimError as error:
                return shown.getvalue(), str(error)
        return shown.getvalue(), ""

    def test_a_refusal_is_the_same(self):
        (shown, said), (printed, raised) = (place("--topology=v3-33")
                                            for place in (self.in_terminal, self.in_pipe))
        self.assertIn("no slice is called 'v3-33'", said)
        self.assertEqual(said, raised)
        self.assertEqual((shown, printed), ("", ""))

    JOB = ("--topology=v3-8", "--model=mlp", "--hidden=8", "--train_steps=9",
           "--batch_per_core=1", "--optimizer=sgd")

    def test_a_terminal_has_its_live_line(self):
        flags = (*self.JOB, "--learning_rate=0.1")
        shown, said = self.in_terminal(*flags)
        self.assertIn("\r\x1b[Kstep 9/9", shown)
        self.assertIn("done: mlp on digits", shown)
        self.assertEqual(said, "")
        self.assertIn("\nstep 9/9, loss: ", self.in_pipe(*flags)[0])

    def test_a_failure_is_the_same_and_is_said_once(self):
        flags = (*self.JOB, "--learning_rate=1e30")
        (shown, said), (printed, raised) = self.in_terminal(*flags), self.in_pipe(*flags)
        self.assertRegex(said, "loss .* at step")
        self.assertEqual(said, raised)
        for text in (shown, printed):
            self.assertIn("pod formed", text)
            for once in ("FAILED", "exit code", " at step 2"):
                self.assertNotIn(once, text)

    def test_without_any_output_it_trains(self):
        with mock.patch.object(sys, "stdout", None), mock.patch.object(sys, "stderr", None):
            _process.launch(["--topology=v3-8", "--dry_run"], progress=True)


if __name__ == "__main__":
    unittest.main()
