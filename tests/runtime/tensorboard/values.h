// Values of TensorBoard's events, by their tags.
#ifndef PODSIM_TESTS_RUNTIME_TENSORBOARD_VALUES_H_
#define PODSIM_TESTS_RUNTIME_TENSORBOARD_VALUES_H_

#include <map>
#include <string>

#include "proto/third_party/tensorboard/event.pb.h"

namespace podsim::testing {

// Scalars alone.
inline std::map<std::string, float> ScalarsOf(const tensorboard::Event& event) {
  std::map<std::string, float> scalars;
  for (const auto& value : event.summary().value())
    if (value.value_case() == tensorboard::Summary::Value::kSimpleValue)
      scalars[value.tag()] = value.simple_value();
  return scalars;
}

// Without a value: one that has none.
inline tensorboard::Summary::Value ValueOf(const tensorboard::Event& event,
                                           const std::string& tag) {
  for (const auto& value : event.summary().value())
    if (value.tag() == tag) return value;
  return {};
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_TENSORBOARD_VALUES_H_
