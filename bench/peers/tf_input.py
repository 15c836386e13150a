"""tf.data's half of compare_input: reads shards, says what it took.

  tf_input.py KIND THREADS PASSES FILE...

KIND: floats (float32[1024], int64), pixels (uint8[3072] as bytes, int64), or
images (JPEG to 224 x 224, cropped, mirrored and normalised). Lines of JSON as
read_shards prints them.
"""

import json
import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402

BATCH = 64
SIDE = 224
MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
LABEL = tf.io.FixedLenFeature([], tf.int64)
FEATURES = {
    "floats": {"features": tf.io.FixedLenFeature([1024], tf.float32),
               "labels": LABEL},
    "pixels": {"features": tf.io.FixedLenFeature([], tf.string),
               "labels": LABEL},
    "images": {"image": tf.io.FixedLenFeature([], tf.string),
               "label": LABEL},
}


def parse(kind):
    def floats(records):
        parsed = tf.io.parse_example(records, FEATURES[kind])
        return parsed["features"], parsed["labels"]

    def pixels(records):
        parsed = tf.io.parse_example(records, FEATURES[kind])
        values = tf.io.decode_raw(parsed["features"], tf.uint8)
        values = tf.cast(values, tf.float32) * (1 / 255)
        return values, parsed["labels"]

    return {"floats": floats, "pixels": pixels}[kind]


def training_image(record):
    """As models trained on ImageNet have it: only the crop is decoded."""
    parsed = tf.io.parse_single_example(record, FEATURES["images"])
    encoded = parsed["image"]
    box = tf.constant([0, 0, 1, 1], tf.float32, [1, 1, 4])
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.io.extract_jpeg_shape(encoded), box, area_range=(0.08, 1),
        aspect_ratio_range=(3 / 4, 4 / 3), max_attempts=10,
        use_image_if_no_bounding_boxes=True)
    row, column, _ = tf.unstack(begin)
    rows, columns, _ = tf.unstack(size)
    image = tf.image.decode_and_crop_jpeg(
        encoded, tf.stack([row, column, rows, columns]), channels=3)
    image = tf.image.resize(image, [SIDE, SIDE])
    image = tf.image.random_flip_left_right(image)
    image = (image * (1 / 255) - tf.constant(MEAN)) / tf.constant(STD)
    return image, parsed["label"]


def whole_image(record):
    parsed = tf.io.parse_single_example(record, FEATURES["images"])
    image = tf.io.decode_jpeg(parsed["image"], channels=3,
                              dct_method="INTEGER_ACCURATE")
    return tf.image.resize(image, [SIDE, SIDE]) * (1 / 255), parsed["label"]


def reader(kind, threads, files, checked):
    options = tf.data.Options()
    options.threading.private_threadpool_size = threads
    options.threading.max_intra_op_parallelism = 1
    options.deterministic = True
    data = tf.data.TFRecordDataset(files)
    if kind == "images":
        data = data.map(whole_image if checked else training_image,
                        num_parallel_calls=threads).batch(BATCH)
    else:
        data = data.batch(BATCH).map(
            parse(kind), num_parallel_calls=threads if threads > 1 else None)
    return data.with_options(options)


def main():
    kind, threads, passes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    files = sys.argv[4:]
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    tf.config.threading.set_intra_op_parallelism_threads(1)
    data = reader(kind, threads, files, checked=False)
    for _ in range(passes):
        begin = time.perf_counter()
        examples = 0
        for _, labels in data:
            examples += labels.shape[0]
        print(json.dumps({"seconds": time.perf_counter() - begin,
                          "examples": examples}), flush=True)
    sums = {"features": 0.0, "labels": 0.0}
    for features, labels in reader(kind, threads, files, checked=True):
        sums["features"] += float(tf.reduce_sum(tf.cast(features, tf.float64)))
        sums["labels"] += float(tf.reduce_sum(labels))
    print(json.dumps({"sums": sums}), flush=True)


if __name__ == "__main__":
    main()
