// A store that says one thing that is not so, once.
#ifndef PODSIM_TESTS_TESTING_GCS_LIAR_H_
#define PODSIM_TESTS_TESTING_GCS_LIAR_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "host/storage/http/http.h"

namespace podsim::testing {

struct Lie {
  const char* name;
  int status;
  const char* body;
  int lost = 0;  // instead of another answer: so many items of a true listing
};

// 404 in several words, answers without content, listings that are cut.
const std::vector<Lie>& Lies();

// Answers request `at`, counted from 0, with a lie; counts them in `made`.
std::unique_ptr<Http> NewLiar(std::unique_ptr<Http> base, const Lie& lie,
                              int at, int* made);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_GCS_LIAR_H_
