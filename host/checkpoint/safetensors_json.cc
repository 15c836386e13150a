#include "host/checkpoint/safetensors_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

using Json = nlohmann::json;

// Follows the parser through the only structure that a header has:
//   {"__metadata__": {"k": "v"},
//    "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  absl::StatusOr<SafetensorsHeader> Take() {
    if (!error_.empty()) return absl::DataLossError(error_);
    return std::move(header_);
  }

  bool start_object(std::size_t) override {
    seen_.emplace_back();
    if (place_ == Place::kBefore) return Enter(Place::kTop);
    if (place_ != Place::kTop) return Misplaced("an object");
    if (key_ == "__metadata__") return Enter(Place::kMetadata);
    header_.tensors.push_back({.name = key_});
    return Enter(Place::kTensor);
  }

  bool key(string_t& name) override {
    key_ = name;
    if (seen_.back().insert(name).second) return true;
    return Fail(absl::StrCat("\"", name, "\" comes twice"));
  }

  bool end_object() override {
    if (place_ == Place::kTop) return Enter(Place::kAfter);
    if (place_ == Place::kTensor && seen_.back().size() != 3)
      return Fail("lacks dtype, shape or data_offsets");
    seen_.pop_back();
    return Enter(Place::kTop);
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::kTensor && key_ == "shape")
      return Enter(Place::kShape);
    if (place_ == Place::kTensor && key_ == "data_offsets")
      return Enter(Place::kOffsets);
    return Misplaced("a list");
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_ != 2)
      return Fail("data_offsets must be two numbers");
    offsets_ = 0;
    return Enter(Place::kTensor);
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata) {
      header_.metadata[key_] = value;
      return true;
    }
    if (place_ != Place::kTensor || key_ != "dtype") return Misplaced("a text");
    header_.tensors.back().dtype = value;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kShape && place_ != Place::kOffsets)
      return Misplaced("a number");
    if (value > std::numeric_limits<std::int64_t>::max())
      return Fail(absl::StrCat("number ", value, " is too large"));
    SafetensorsEntry& entry = header_.tensors.back();
    const auto number = static_cast<std::int64_t>(value);
    if (place_ == Place::kShape) {
      entry.shape.push_back(number);
    } else {
      if (offsets_ > 1) return Fail("data_offsets must be two numbers");
      (offsets_++ == 0 ? entry.begin : entry.end) = number;
    }
    return true;
  }

  bool null() override { return Misplaced("null"); }
  bool boolean(bool) override { return Misplaced("a truth value"); }
  bool number_integer(number_integer_t) override {
    return Misplaced("a negative number");
  }
  bool number_float(number_float_t, const string_t&) override {
    return Misplaced("a fraction");
  }
  bool binary(binary_t&) override { return Misplaced("binary data"); }

  bool parse_error(std::size_t position, const std::string&,
                   const Json::exception&) override {
    return Fail(absl::StrCat("no JSON at byte ", position));
  }

 private:
  enum class Place {
    kBefore,
    kTop,
    kMetadata,
    kTensor,
    kShape,
    kOffsets,
    kAfter
  };

  bool Enter(Place place) {
    place_ = place;
    return true;
  }

  bool Misplaced(const char* what) {
    return Fail(absl::StrCat(what, " stands where none may",
                             key_.empty() ? "" : " (after ", key_,
                             key_.empty() ? "" : ")"));
  }

  bool Fail(const std::string& what) {
    const bool tensor = place_ >= Place::kTensor && place_ < Place::kAfter;
    error_ = absl::StrCat(
        "header: ", tensor ? header_.tensors.back().name + ": " : "", what);
    return false;
  }

  Place place_ = Place::kBefore;
  SafetensorsHeader header_;
  std::vector<std::set<std::string>> seen_;  // keys of the open objects
  std::string key_;                          // the last one
  int offsets_ = 0;                          // of the open data_offsets
  std::string error_;
};

}  // namespace

absl::StatusOr<SafetensorsHeader> ParseHeaderJson(std::string_view json) {
  HeaderReader reader;
  Json::sax_parse(json.begin(), json.end(), &reader);
  return reader.Take();
}

}  // namespace podsim
