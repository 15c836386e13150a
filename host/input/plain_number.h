// Numbers as almost all cells of a CSV file have them, told in one look:
// digits, with a minus and a point where the type has these. Pure.
#ifndef PODSIM_HOST_INPUT_PLAIN_NUMBER_H_
#define PODSIM_HOST_INPUT_PLAIN_NUMBER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"
#include "host/input/schema.h"

namespace podsim {

// Which plain numbers are good.
struct PlainNumbers {
  std::int64_t most = -1;  // of whole ones; below 0: none is plain
  bool sign = false;
  bool point = false;  // then of any size
};

// `classes` above 1: the field is of labels below it.
PlainNumbers PlainOf(const SchemaField& field, std::int32_t classes);

// Where the plain number that begins at `at` ends, with its cell; npos: it is
// none. Most cells are such; the others are read as a job would read them.
std::size_t PlainEnd(std::string_view line, std::size_t at,
                     const PlainNumbers& plain);

// "1100.5" of "1,100.5", "1'100.5", "1_100.5" or "1 100.5"; empty: it is no
// number with separators of thousands.
std::string WithoutThousands(absl::string_view cell);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_PLAIN_NUMBER_H_
