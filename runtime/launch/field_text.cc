#include "runtime/launch/field_text.h"

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "runtime/launch/byte_count.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

absl::Status BadValue(const std::string& flag, const std::string& value,
                      const std::string& wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, " is \"", value, "\"; give ", wanted));
}

absl::Status SetInt64(const std::string& flag, const std::string& value,
                      const FieldDescriptor* field, Message& message) {
  std::int64_t number = 0;
  if (absl::EndsWith(field->name(), "bytes")) {
    const std::optional<std::int64_t> bytes = ParseByteCount(value);
    if (!bytes.has_value()) {
      return BadValue(flag, value, "a number of bytes such as 4096 or 4M");
    }
    number = *bytes;
  } else if (!absl::SimpleAtoi(value, &number)) {
    return BadValue(flag, value, "a whole number");
  }
  message.GetReflection()->SetInt64(&message, field, number);
  return absl::OkStatus();
}

// Sets a field of one value from its text.
absl::Status SetSingle(const std::string& flag, const std::string& value,
                       const FieldDescriptor* field, Message& message) {
  const Reflection* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      if (value.empty()) return BadValue(flag, value, "a value");
      reflection->SetString(&message, field, value);
      return absl::OkStatus();
    case FieldDescriptor::CPPTYPE_INT32: {
      std::int32_t number = 0;
      if (!absl::SimpleAtoi(value, &number)) {
        return BadValue(flag, value, "a whole number");
      }
      reflection->SetInt32(&message, field, number);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_INT64:
      return SetInt64(flag, value, field, message);
    case FieldDescriptor::CPPTYPE_UINT64: {
      std::uint64_t number = 0;
      if (!absl::SimpleAtoi(value, &number)) {
        return BadValue(flag, value, "a whole number from 0 up");
      }
      reflection->SetUInt64(&message, field, number);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      double number = 0;
      if (!absl::SimpleAtod(value, &number)) {
        return BadValue(flag, value, "a number");
      }
      reflection->SetDouble(&message, field, number);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_BOOL: {
      bool on = false;
      if (!absl::SimpleAtob(value, &on)) {
        return BadValue(flag, value, "0 or 1");
      }
      reflection->SetBool(&message, field, on);
      return absl::OkStatus();
    }
    default:
      PODSIM_CHECK(false);  // a field of a type not seen before
  }
}

absl::Status SetList(const std::string& flag, const std::string& value,
                     const FieldDescriptor* field, Message& message) {
  const Reflection* reflection = message.GetReflection();
  const bool words = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  PODSIM_CHECK(words || field->cpp_type() == FieldDescriptor::CPPTYPE_INT32);
  reflection->ClearField(&message, field);
  for (const absl::string_view part : absl::StrSplit(value, ',')) {
    std::int32_t number = 0;
    if (words) {
      reflection->AddString(&message, field, std::string(part));
    } else if (absl::SimpleAtoi(part, &number)) {
      reflection->AddInt32(&message, field, number);
    } else {
      return BadValue(flag, value,
                      "whole numbers with commas, such as 512,512");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetFieldFromText(const std::string& flag, const std::string& value,
                              const FieldDescriptor* field, Message& message) {
  return field->is_repeated() ? SetList(flag, value, field, message)
                              : SetSingle(flag, value, field, message);
}

}  // namespace podsim
