// Cloud Storage's store over the double in memory, in virtual time.
#ifndef PODSIM_TESTS_TESTING_GCS_DOUBLE_STORE_H_
#define PODSIM_TESTS_TESTING_GCS_DOUBLE_STORE_H_

#include <memory>

#include "base/clock.h"
#include "host/storage/gcs/client.h"
#include "host/storage/http/http.h"
#include "host/storage/storage.h"
#include "host/storage/waiter.h"
#include "tests/testing/gcs/gcs_double.h"

namespace podsim::testing {

// Hands requests to `objects`, which is borrowed.
std::unique_ptr<Http> NewDoubleHttp(GcsDouble* objects);

// Waits by moving `clock` on, which is borrowed.
Waiter VirtualWaiter(SimClock* clock);

// For paths of this machine: "/tmp/x" is gs://bucket/tmp/x of a double of its
// own, without faults, whose pages are short.
std::unique_ptr<ObjectStore> NewGcsDoubleStore();

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_GCS_DOUBLE_STORE_H_
