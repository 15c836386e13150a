// Where a text stops being JSON, and where its outermost names stand:
// protobuf's parser says neither. It is as lax as that parser: names without
// quotes, single quotes, and a comma behind the last item are taken. Pure.
#ifndef PODSIM_RUNTIME_FILES_JSON_SCAN_H_
#define PODSIM_RUNTIME_FILES_JSON_SCAN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace podsim {

// A name of the outermost object, in order. Both places are offsets.
struct JsonName {
  std::string name;
  std::size_t at = 0;
  std::size_t value_at = 0;
};

// The first place that is no JSON.
struct JsonSlip {
  std::size_t at = 0;
  std::string why;   // "expected , or } after 4, ..."; empty if there is a word
  std::string word;  // a value that is none, such as 10k or v3-8
  std::string name;  // whose value it is
  bool is_comment = false;
};

struct JsonScan {
  std::vector<JsonName> names;  // those in front of the slip
  std::optional<JsonSlip> slip;
};

// `text` begins with a brace, behind blanks.
JsonScan ScanJson(absl::string_view text);

// Of an offset, counted from 1.
std::size_t LineOf(absl::string_view text, std::size_t at);

// "3:7", its line and column; a tab is one column.
std::string PlaceIn(absl::string_view text, std::size_t at);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_JSON_SCAN_H_
