#include "host/input/tf_example.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

enum Wire : std::uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kDelimited = 2,
  kFixed32 = 5,
};

// A message's fields one after the other. `whole` is the record, for offsets.
class FieldReader {
 public:
  FieldReader(std::string_view message, std::string_view whole)
      : rest_(message), whole_(whole) {}

  // The next field; false at the end. After it either `number` or `bytes` is
  // set, by `wire`.
  absl::StatusOr<bool> Next() {
    if (rest_.empty()) return false;
    PODSIM_ASSIGN_OR_RETURN(const std::uint64_t tag, TakeVarint());
    field = tag >> 3;
    wire = static_cast<std::uint32_t>(tag & 7);
    if (field == 0) return Damaged("a field has the number 0");
    switch (wire) {
      case kVarint: {
        PODSIM_ASSIGN_OR_RETURN(number, TakeVarint());
        return true;
      }
      case kFixed64:
        return TakeBytes(8);
      case kFixed32:
        return TakeBytes(4);
      case kDelimited: {
        PODSIM_ASSIGN_OR_RETURN(const std::uint64_t length, TakeVarint());
        return TakeBytes(length);
      }
      default:
        return Damaged(absl::StrCat("a field has the wire type ", wire));
    }
  }

  // REQUIRES: whole_ is a view that rest_ lies in.
  absl::Status Damaged(const std::string& why) const {
    const std::int64_t offset =
        rest_.data() == nullptr || whole_.data() == nullptr
            ? 0
            : rest_.data() - whole_.data();
    return absl::DataLossError(absl::StrCat(
        "byte ", offset, " of the record is no tf.train.Example's: ", why,
        "; write the records as tf.train.Example"));
  }

  absl::StatusOr<std::uint64_t> TakeVarint() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < rest_.size() && i < 10; ++i) {
      const auto byte = static_cast<unsigned char>(rest_[i]);
      value |= std::uint64_t{byte & 0x7fU} << (7 * i);
      if (byte < 0x80) {
        rest_.remove_prefix(i + 1);
        return value;
      }
    }
    return Damaged("a number does not end");
  }

  bool empty() const { return rest_.empty(); }

  std::uint64_t field = 0;
  std::uint32_t wire = 0;
  std::uint64_t number = 0;
  std::string_view bytes;

 private:
  absl::StatusOr<bool> TakeBytes(std::uint64_t length) {
    if (length > rest_.size())
      return Damaged(absl::StrCat("a field of ", length, " bytes, but ",
                                  rest_.size(), " are left"));
    bytes = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(static_cast<std::size_t>(length));
    return true;
  }

  std::string_view rest_;
  const std::string_view whole_;
};

// Calls each(field reader) for every field; it may fail.
template <typename Each>
absl::Status ForEachField(std::string_view message, std::string_view whole,
                          Each each) {
  FieldReader fields(message, whole);
  for (;;) {
    PODSIM_ASSIGN_OR_RETURN(const bool more, fields.Next());
    if (!more) return absl::OkStatus();
    PODSIM_RETURN_IF_ERROR(each(fields));
  }
}

absl::StatusOr<FeatureView> ParseFeature(std::string_view feature,
                                         std::string_view whole) {
  FeatureView view;
  PODSIM_RETURN_IF_ERROR(ForEachField(feature, whole, [&](FieldReader& field) {
    if (field.field < 1 || field.field > 3) return absl::OkStatus();
    if (field.wire != kDelimited)
      return field.Damaged("a feature's list is no message");
    view = {.kind = static_cast<FeatureKind>(field.field), .list = field.bytes};
    return absl::OkStatus();
  }));
  return view;
}

// An entry of the map: take(name, the feature's bytes).
template <typename Take>
absl::Status ParseEntry(std::string_view entry, std::string_view whole,
                        Take take) {
  std::string_view name;
  std::string_view feature;
  PODSIM_RETURN_IF_ERROR(ForEachField(entry, whole, [&](FieldReader& field) {
    if (field.field > 2) return absl::OkStatus();
    if (field.wire != kDelimited)
      return field.Damaged("a feature's name or value is a number");
    (field.field == 1 ? name : feature) = field.bytes;
    return absl::OkStatus();
  }));
  return take(name, feature);
}

// Calls take(name, the feature's bytes) for every entry of an example's map.
template <typename Take>
absl::Status ForEachEntry(std::string_view record, Take take) {
  return ForEachField(record, record, [&](FieldReader& example) {
    if (example.field != 1) return absl::OkStatus();
    if (example.wire != kDelimited)
      return example.Damaged("its features are no message");
    return ForEachField(
        example.bytes, record, [&](FieldReader& entry) -> absl::Status {
          if (entry.field != 1) return absl::OkStatus();
          if (entry.wire != kDelimited)
            return entry.Damaged("a feature is no entry of a map");
          return ParseEntry(entry.bytes, record, take);
        });
  });
}

// Value by value, the packed ones among them.
template <typename Value, typename Take>
absl::StatusOr<std::int64_t> ReadNumbers(std::string_view list,
                                         absl::Span<Value> room,
                                         std::uint32_t wire, Take take) {
  std::int64_t count = 0;
  const auto put = [&](Value value) {
    if (count < static_cast<std::int64_t>(room.size()))
      room[static_cast<std::size_t>(count)] = value;
    ++count;
  };
  PODSIM_RETURN_IF_ERROR(
      ForEachField(list, list, [&](FieldReader& field) -> absl::Status {
        if (field.field != 1) return absl::OkStatus();
        if (field.wire == wire) return take(field, /*packed=*/false, put);
        if (field.wire == kDelimited) return take(field, /*packed=*/true, put);
        return field.Damaged("a value of another type than its list's");
      }));
  return count;
}

float FloatOf(const char* bytes) {
  float value = 0;  // the wire's order is the machine's: little endian
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(0x80 | (value & 0x7f));
  out += static_cast<char>(value);
}

void AppendDelimited(int field, std::string_view bytes, std::string& out) {
  AppendVarint(static_cast<std::uint64_t>(field) << 3 | kDelimited, out);
  AppendVarint(bytes.size(), out);
  out.append(bytes);
}

}  // namespace

absl::Status FindFeatures(std::string_view record,
                          absl::Span<const std::string> names,
                          absl::Span<FeatureView> found) {
  static_assert(std::endian::native == std::endian::little);
  PODSIM_CHECK(names.size() == found.size());
  std::fill(found.begin(), found.end(), FeatureView());
  return ForEachEntry(
      record,
      [&](std::string_view name, std::string_view feature) -> absl::Status {
        for (std::size_t i = 0; i < names.size(); ++i) {
          if (std::string_view(names[i]) != name) continue;
          PODSIM_ASSIGN_OR_RETURN(found[i], ParseFeature(feature, record));
        }
        return absl::OkStatus();
      });
}

absl::Status ForEachFeature(
    std::string_view record,
    const std::function<void(std::string_view name,
                             const FeatureView& feature)>& take) {
  return ForEachEntry(
      record,
      [&](std::string_view name, std::string_view feature) -> absl::Status {
        PODSIM_ASSIGN_OR_RETURN(const FeatureView view,
                                ParseFeature(feature, record));
        take(name, view);
        return absl::OkStatus();
      });
}

absl::StatusOr<std::int64_t> ReadFloats(std::string_view list,
                                        absl::Span<float> room) {
  return ReadNumbers(
      list, room, kFixed32,
      [](FieldReader& field, bool packed, const auto& put) {
        if (packed && field.bytes.size() % sizeof(float) != 0)
          return field.Damaged("packed floats that end in the middle of one");
        for (std::size_t at = 0; at < field.bytes.size(); at += sizeof(float))
          put(FloatOf(field.bytes.data() + at));
        return absl::OkStatus();
      });
}

absl::StatusOr<std::int64_t> ReadInts(std::string_view list,
                                      absl::Span<std::int64_t> room) {
  return ReadNumbers(
      list, room, kVarint,
      [](FieldReader& field, bool packed, const auto& put) -> absl::Status {
        if (!packed) {
          put(static_cast<std::int64_t>(field.number));
          return absl::OkStatus();
        }
        FieldReader numbers(field.bytes, field.bytes);
        while (!numbers.empty()) {
          PODSIM_ASSIGN_OR_RETURN(const std::uint64_t number,
                                  numbers.TakeVarint());
          put(static_cast<std::int64_t>(number));
        }
        return absl::OkStatus();
      });
}

absl::StatusOr<std::int64_t> ReadBytes(std::string_view list,
                                       absl::Span<std::string_view> room) {
  std::int64_t count = 0;
  PODSIM_RETURN_IF_ERROR(ForEachField(list, list, [&](FieldReader& field) {
    if (field.field != 1) return absl::OkStatus();
    if (field.wire != kDelimited)
      return field.Damaged("a value of another type than its list's");
    if (count < static_cast<std::int64_t>(room.size()))
      room[static_cast<std::size_t>(count)] = field.bytes;
    ++count;
    return absl::OkStatus();
  }));
  return count;
}

void ExampleWriter::Add(std::string_view name, int field,
                        std::string_view list) {
  std::string feature;
  AppendDelimited(field, list, feature);
  std::string entry;
  AppendDelimited(1, name, entry);
  AppendDelimited(2, feature, entry);
  AppendDelimited(1, entry, features_);
}

void ExampleWriter::AddBytes(std::string_view name, std::string_view value) {
  std::string list;
  AppendDelimited(1, value, list);
  Add(name, 1, list);
}

void ExampleWriter::AddFloats(std::string_view name,
                              absl::Span<const float> values) {
  std::string list;
  AppendDelimited(1,
                  {reinterpret_cast<const char*>(values.data()),
                   values.size() * sizeof(float)},
                  list);
  Add(name, 2, list);
}

void ExampleWriter::AddInts(std::string_view name,
                            absl::Span<const std::int64_t> values) {
  std::string packed;
  for (const std::int64_t value : values)
    AppendVarint(static_cast<std::uint64_t>(value), packed);
  std::string list;
  AppendDelimited(1, packed, list);
  Add(name, 3, list);
}

std::string ExampleWriter::Finish() && {
  std::string example;
  AppendDelimited(1, features_, example);
  return example;
}

}  // namespace podsim
