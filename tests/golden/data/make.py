"""Makes the data sets of this folder with libraries that podsim does not use.

tfrecord (framing, tf.train.Example), numpy and Pillow, as README.md says. Every
value is a function of its example's number, so that a test needs no other list.
"""

import gzip
import io
import os
import pathlib
import struct
import zlib

import crc32c
import numpy
import PIL.Image
from tfrecord import example_pb2

HERE = pathlib.Path(__file__).parent


def masked(data):
    """The CRC of the framing."""
    crc = crc32c.crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def record(example):
    """An example, framed."""
    data = example.SerializeToString(deterministic=True)
    length = struct.pack("<Q", len(data))
    return (length + struct.pack("<I", masked(length)) + data
            + struct.pack("<I", masked(data)))


def png(number):
    """A 6 x 4 image whose pixels say where they are and of which example."""
    pixels = numpy.zeros((4, 6, 3), numpy.uint8)
    pixels[..., 0] = number
    pixels[..., 1] = numpy.arange(6)[None, :] * 10
    pixels[..., 2] = numpy.arange(4)[:, None] * 10
    out = io.BytesIO()
    PIL.Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def example(number):
    """Example `number`: every kind of list, and one that no schema names."""
    feature = {
        "label": example_pb2.Feature(int64_list=example_pb2.Int64List(value=[number % 10])),
        "image_raw": example_pb2.Feature(bytes_list=example_pb2.BytesList(
            value=[bytes((number + i) % 256 for i in range(6))])),
        "weights": example_pb2.Feature(float_list=example_pb2.FloatList(
            value=[number + 0.5, -number, 1e-3])),
        "ids": example_pb2.Feature(int64_list=example_pb2.Int64List(
            value=[-number, 2**31 - 1 - number])),
        "image/encoded": example_pb2.Feature(
            bytes_list=example_pb2.BytesList(value=[png(number)])),
        "unused": example_pb2.Feature(bytes_list=example_pb2.BytesList(
            value=[b"a", b"", b"c" * number])),
    }
    return example_pb2.Example(features=example_pb2.Features(feature=feature))


def write(path, data):
    """A file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def shards(folder, pack, counts):
    """train-* of so many examples each, numbered through, and one validation-*."""
    number = 0
    for i, count in enumerate(counts):
        data = b"".join(record(example(number + j)) for j in range(count))
        number += count
        write(folder / f"train-{i:05}-of-{len(counts):05}", pack(data))
    data = b"".join(record(example(100 + j)) for j in range(3))
    write(folder / "validation-00000-of-00001", pack(data))


def cifar(numbers, labels):
    """Records of CIFAR's binary files; the last label is the number's last digit."""
    data = b""
    for number in numbers:
        planes = [(number * 7 + c * 80 + p) % 256 for c in range(3) for p in range(1024)]
        data += bytes([number % 5, number % 10][2 - labels:]) + bytes(planes)
    return data


def csv(numbers, header):
    """Lines label, three pixels, a weight; with quotes, CRs and an empty line."""
    lines = ["label,pixel0,pixel1,pixel2,\"weight, kg\""] if header else []
    for number in numbers:
        lines.append(f'{number % 10},"{number}",{number + 1}, {number + 2},{number / 4}')
        if number % 3 == 0:
            lines.append("")
    return ("\r\n" if header else "\n").join(lines).encode() + b"\n"


def jpeg(color, size, mode="RGB"):
    """An image of one color, in whichever color space."""
    out = io.BytesIO()
    PIL.Image.new("RGB", size, color).convert(mode).save(out, "JPEG", quality=95)
    return out.getvalue()


def arrays(count, first):
    """Fields of an archive."""
    numbers = numpy.arange(first, first + count)
    return {"features": (numbers[:, None] + numpy.arange(4)).astype(numpy.float32),
            "labels": (numbers % 10).astype(numpy.int32),
            "mask": numpy.eye(count, 3, dtype=bool)}


def main():
    """Writes all."""
    shards(HERE / "tfrecord", lambda data: data, [5, 0, 7])
    shards(HERE / "tfrecord_gzip", lambda data: gzip.compress(data, mtime=0) if data else b"", [5, 0, 7])
    shards(HERE / "tfrecord_zlib", zlib.compress, [5, 7])
    write(HERE / "cifar10/data_batch_1.bin", cifar([0, 1], 1))
    write(HERE / "cifar10/data_batch_2.bin", cifar([2], 1))
    write(HERE / "cifar10/test_batch.bin", cifar([9], 1))
    write(HERE / "cifar100/train.bin", cifar([13], 2))
    write(HERE / "cifar100/test.bin", cifar([14], 2))
    write(HERE / "csv/train-0.csv", csv([0, 1, 2], True))
    write(HERE / "csv/train-1.csv", csv([3, 4], True))
    write(HERE / "csv/eval.csv", csv([100], True))
    write(HERE / "csv_plain/part-0.csv.gz", gzip.compress(csv(range(5), False), mtime=0))
    (HERE / "npz").mkdir(exist_ok=True)
    numpy.savez(HERE / "npz/train.npz", **arrays(5, 0))
    numpy.savez_compressed(HERE / "npz/eval.npz", **arrays(3, 100))
    images = HERE / "images"
    write(images / "train/cat/0.png", png(0))
    write(images / "train/cat/1.PNG", png(1))
    write(images / "train/dog/red.jpg", jpeg((250, 0, 0), (16, 8)))
    write(images / "train/dog/grey.jpeg", jpeg((90, 90, 90), (9, 9), "L"))
    write(images / "train/dog/ink.jpg", jpeg((200, 100, 50), (16, 16), "CMYK"))
    write(images / "val/dog/2.png", png(2))


if __name__ == "__main__":
    os.chdir(HERE)
    main()
