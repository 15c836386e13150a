#include "models/graph/wire_scan.h"

#include <google/protobuf/io/coded_stream.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::io::CodedInputStream;

// Of the encoding: the low bits of a tag.
enum : std::uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

constexpr int kDeepest = 100;  // as protobuf's own parser

class Scan {
 public:
  Scan(std::string_view bytes, const WireLimits& limits)
      : in_(reinterpret_cast<const std::uint8_t*>(bytes.data()),
            static_cast<int>(bytes.size())),
        limits_(limits) {
    in_.PushLimit(static_cast<int>(bytes.size()));
  }

  absl::Status Message(const Descriptor& message) {
    if (++messages_ > limits_.messages)
      return absl::InvalidArgumentError(
          absl::StrCat("it has more than ", limits_.messages, " parts"));
    if (depth_ == kDeepest) return Damaged();
    ++depth_;
    while (in_.BytesUntilLimit() > 0) {
      const std::uint32_t tag = in_.ReadTag();
      const FieldDescriptor* field =
          message.FindFieldByNumber(static_cast<int>(tag >> 3));
      if (field == nullptr && limits_.passes_unknown) {
        PODSIM_RETURN_IF_ERROR(Skip(tag & 7));
        continue;
      }
      if (field == nullptr)
        return absl::InvalidArgumentError(
            absl::StrCat("it has a field ", tag >> 3,
                         " that is not known here: it is damaged, another "
                         "kind of file, or of a later version"));
      if (const absl::Status status = Field(*field, tag & 7); !status.ok())
        return Annotate(status, field->name());
    }
    --depth_;
    return absl::OkStatus();
  }

 private:
  static absl::Status Damaged() {
    return absl::InvalidArgumentError("it is damaged: not a message's bytes");
  }

  absl::Status Skip(std::uint32_t wire_type) {
    if (++messages_ > limits_.messages) return Damaged();
    std::uint64_t number = 0;
    int size = 0;
    const bool read = wire_type == kVarint    ? in_.ReadVarint64(&number)
                      : wire_type == kFixed64 ? in_.Skip(8)
                      : wire_type == kFixed32 ? in_.Skip(4)
                      : wire_type == kLength
                          ? in_.ReadVarintSizeAsInt(&size) &&
                                size <= in_.BytesUntilLimit() && in_.Skip(size)
                          : false;
    return read ? absl::OkStatus() : Damaged();
  }

  absl::Status Field(const FieldDescriptor& field, std::uint32_t wire_type) {
    const FieldDescriptor::CppType type = field.cpp_type();
    const bool nested = type == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool text = type == FieldDescriptor::CPPTYPE_STRING;
    if (wire_type == kLength && (nested || text || field.is_repeated()))
      return Sized(field);
    std::uint32_t expected = kVarint;
    if (nested || text) expected = kLength;
    if (type == FieldDescriptor::CPPTYPE_DOUBLE) expected = kFixed64;
    if (type == FieldDescriptor::CPPTYPE_FLOAT) expected = kFixed32;
    if (wire_type != expected) return Damaged();
    PODSIM_RETURN_IF_ERROR(Count(field.is_repeated() ? 1 : 0));
    std::uint64_t number = 0;
    const bool read = wire_type == kVarint    ? in_.ReadVarint64(&number)
                      : wire_type == kFixed64 ? in_.Skip(8)
                                              : in_.Skip(4);
    return read ? absl::OkStatus() : Damaged();
  }

  // A message, a text, or a packed list of numbers, each a byte at least.
  absl::Status Sized(const FieldDescriptor& field) {
    int size = 0;
    if (!in_.ReadVarintSizeAsInt(&size) || size > in_.BytesUntilLimit())
      return Damaged();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const CodedInputStream::Limit outer = in_.PushLimit(size);
      PODSIM_RETURN_IF_ERROR(Message(*field.message_type()));
      in_.PopLimit(outer);
      return absl::OkStatus();
    }
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_STRING)
      PODSIM_RETURN_IF_ERROR(Count(size));
    return in_.Skip(size) ? absl::OkStatus() : Damaged();
  }

  absl::Status Count(std::int64_t numbers) {
    numbers_ += numbers;
    if (numbers_ <= limits_.numbers) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("it has more than ", limits_.numbers, " numbers"));
  }

  CodedInputStream in_;
  const WireLimits limits_;
  int depth_ = 0;
  std::int64_t messages_ = 0;
  std::int64_t numbers_ = 0;
};

}  // namespace

absl::Status ScanWire(std::string_view bytes, const Descriptor& message,
                      const WireLimits& limits) {
  if (bytes.size() > std::numeric_limits<int>::max())
    return absl::InvalidArgumentError("it has more than 2 GiB");
  return Scan(bytes, limits).Message(message);
}

}  // namespace podsim
