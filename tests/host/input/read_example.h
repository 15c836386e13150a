// Features and label of an example, as values.
#ifndef PODSIM_TESTS_HOST_INPUT_READ_EXAMPLE_H_
#define PODSIM_TESTS_HOST_INPUT_READ_EXAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "host/input/dataset.h"
#include "host/input/fields.h"

namespace podsim::testing {

struct Example {
  std::vector<float> features;
  std::int32_t label = -1;
  bool operator==(const Example&) const = default;
};

inline Example ReadExample(const Dataset& dataset, Split split,
                           std::int64_t index) {
  const auto fields = FieldsOf(dataset.config());
  PODSIM_CHECK(fields.ok() && fields->size() >= 2);
  Example example;
  example.features.resize(
      static_cast<std::size_t>((*fields)[0].type.shape.elements()));
  std::vector<std::span<std::byte>> rows = {
      std::as_writable_bytes(std::span(example.features)),
      std::as_writable_bytes(std::span(&example.label, 1))};
  std::vector<std::vector<std::byte>> others;
  for (std::size_t i = 2; i < fields->size(); ++i) {
    const ValueType& type = (*fields)[i].type;
    others.emplace_back(
        static_cast<std::size_t>(type.shape.elements() * SizeOf(type.dtype)));
    rows.emplace_back(others.back());
  }
  PODSIM_CHECK(dataset.Read(split, index, {}, rows).ok());
  return example;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_INPUT_READ_EXAMPLE_H_
