"""Buckets with other people's programs: Google's own client against the double that
podsim's tests use, podsim against an emulator that is not ours, and both against each
other's objects.

    pip install google-cloud-storage gcp-storage-emulator
    PODSIM_BIN=build/release/bin python python/checks/bucket.py

PODSIM_BIN is a build with tests: gcs_server is among them."""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

import google.auth.credentials
import google_crc32c
from google.api_core import exceptions
from google.cloud import storage

BIN = pathlib.Path(os.environ["PODSIM_BIN"])
BIG = 100 << 20
JOB = ["--topology=v3-8", "--train_steps=20", "--checkpoint_every=10",
       "--reference_topology=v3-8", "--batch_per_core=8"]


def client_of(endpoint):
    return storage.Client(project="p", credentials=google.auth.credentials.AnonymousCredentials(),
                          client_options={"api_endpoint": endpoint})


def pattern(size):
    return hashlib.shake_128(b"pattern").digest(min(size, 1 << 20)) * -(-size // (1 << 20))


def podsim(endpoint, program, *arguments):
    done = subprocess.run([BIN / program, *arguments], capture_output=True, text=True,
                          env={**os.environ, "STORAGE_EMULATOR_HOST": endpoint},
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(arguments)}: {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def weights(output):
    return re.search(r"weights hash\s+([0-9a-f]{64})", output).group(1)


def google_against_double(endpoint):
    bucket = client_of(endpoint).bucket("bucket")
    for size in (0, 1000, BIG):
        blob = bucket.blob(f"google/{size}", chunk_size=8 << 20 if size == BIG else None)
        data = pattern(size)[:size]
        blob.upload_from_string(data, checksum="crc32c")
        assert bucket.blob(blob.name).download_as_bytes(checksum="crc32c") == data
        assert google_crc32c.value(data) == int.from_bytes(
            base64.b64decode(bucket.get_blob(blob.name).crc32c), "big")
    names = [each.name for each in bucket.list_blobs(prefix="google/")]
    assert names == ["google/0", "google/1000", f"google/{BIG}"], names
    once = bucket.blob("google/once")
    once.upload_from_string(b"first", if_generation_match=0)
    try:
        once.upload_from_string(b"second", if_generation_match=0)
        sys.exit("the double let a precondition pass")
    except exceptions.PreconditionFailed:
        pass
    generation = bucket.get_blob("google/once").generation
    once.delete(if_generation_match=generation)
    assert bucket.get_blob("google/once") is None
    return "Google's client against the double: 0, 1,000 and 100 Mi bytes up and down " \
           "with equal CRC32C, listing, preconditions"


def each_others_objects(endpoint, local):
    """podsim's checkpoint, read by Google's client, put back by it under another name,
    and taken up by podsim."""
    first = weights(podsim(endpoint, "pod_launch", *JOB, f"--model_dir={local}"))
    second = weights(podsim(endpoint, "pod_launch", *JOB, "--model_dir=gs://bucket/run"))
    assert first == second
    bucket = client_of(endpoint).bucket("bucket")
    files = 0
    for blob in bucket.list_blobs(prefix="run/20/"):
        data = blob.download_as_bytes()
        files += 1
        if blob.name.endswith("SHA256SUMS"):
            sums = dict(reversed(line.split()) for line in data.decode().splitlines())
            folder = blob.name.removesuffix("SHA256SUMS")
            for name, digest in sums.items():
                part = bucket.blob(folder + name).download_as_bytes()
                assert hashlib.sha256(part).hexdigest() == digest
        bucket.blob("copied/" + blob.name.removeprefix("run/")).upload_from_string(data)
    podsim(endpoint, "pod_ckpt", "verify", "gs://bucket/copied/20")
    third = weights(podsim(endpoint, "pod_launch", *JOB, "--restore=gs://bucket/run/10",
                           f"--model_dir={local}-restored"))
    assert third == first
    return f"podsim's checkpoint: {files} objects read by Google's client, SHA-256 as " \
           "listed; written back by it and verified by pod_ckpt; same weights as on disk"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}")


def with_double(work):
    server = subprocess.Popen([BIN / "gcs_server", "0", "bucket=EUROPE-WEST4"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        endpoint = server.stdout.readline().strip()
        print(google_against_double(endpoint))
        print("double:", each_others_objects(endpoint, work + "/double"))
    finally:
        server.stdin.close()
        server.wait(10)


def with_emulator(work):
    port = free_port()
    server = subprocess.Popen(
        [pathlib.Path(sys.executable).parent / "gcp-storage-emulator", "start",
         "--host=localhost", f"--port={port}", "--in-memory", "--default-bucket=bucket"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        print("gcp-storage-emulator:",
              each_others_objects(f"http://localhost:{port}", work + "/emulator"))
    finally:
        server.terminate()
        server.wait(10)


def main():
    with tempfile.TemporaryDirectory() as work:
        with_double(work)
        with_emulator(work)


if __name__ == "__main__":
    main()
