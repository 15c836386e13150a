#include "runtime/files/number_slip.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "settings/field_text.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;

bool IsWhole(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
      return true;
    default:
      return false;
  }
}

// What the type holds, and the setting allows.
std::string LargestOf(const FieldDescriptor& field) {
  if (SettingOf(field).has_most()) return absl::StrCat(SettingOf(field).most());
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(std::numeric_limits<std::int32_t>::max());
    case FieldDescriptor::CPPTYPE_UINT32:
      return absl::StrCat(std::numeric_limits<std::uint32_t>::max());
    case FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(std::numeric_limits<std::uint64_t>::max());
    default:
      return absl::StrCat(std::numeric_limits<std::int64_t>::max());
  }
}

// "512,512" of "(512, 512)", "512 512" and "[512 512]"; empty: that is no list
// of numbers.
std::string ListIn(absl::string_view typed, const FieldDescriptor& field) {
  const std::vector<std::string> parts =
      absl::StrSplit(typed, absl::ByAnyChar(", \t()[]\""), absl::SkipEmpty());
  const bool are_numbers = std::ranges::all_of(
      parts,
      [&field](const std::string& part) { return IsWritten(field, part); });
  return field.is_repeated() && parts.size() > 1 && are_numbers
             ? absl::StrJoin(parts, ",")
             : "";
}

}  // namespace

bool IsNumber(const FieldDescriptor& field) {
  return IsWhole(field) ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
}

bool IsWritten(const FieldDescriptor& field, const std::string& value) {
  std::int64_t whole = 0;
  std::uint64_t unsigned_one = 0;
  double number = 0;
  if (!IsWhole(field)) return absl::SimpleAtod(value, &number);
  return field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
                 field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64
             ? absl::SimpleAtoi(value, &unsigned_one)
             : absl::SimpleAtoi(value, &whole);
}

std::string NumberInFile(const FieldDescriptor& field) {
  if (SettingOf(field).type() == "BYTES")
    return "a whole number of bytes, such as 4194304";
  if (field.is_repeated()) return "numbers in brackets, such as [512, 512]";
  return NumberWanted(field);
}

std::string NumberAdvice(const std::string& message,
                         const FieldDescriptor& field,
                         const std::string& typed) {
  std::string bare = absl::StrReplaceAll(typed, {{"\"", ""}, {" ", ""}});
  const auto as = [&](absl::string_view value) {
    return absl::StrCat(field.name(), ": ", value);
  };
  if (const std::string list = ListIn(typed, field); !list.empty())
    return absl::StrCat(absl::StartsWith(typed, "[")
                            ? "; a list has commas: "
                            : "; a list stands in brackets: ",
                        as(absl::StrCat("[", list, "]")));
  if (absl::StartsWith(bare, "+") && IsWritten(field, bare.substr(1)))
    return absl::StrCat("; a number has no + in front: ", as(bare.substr(1)));
  const bool has_unit =
      !bare.empty() &&
      !absl::ascii_isdigit(static_cast<unsigned char>(bare.back()));
  const std::string number = NumberMeant(bare, field);
  if (has_unit && !number.empty())
    return absl::StrCat("; a number in a file has no unit: ", as(number));
  if (absl::StartsWith(message, "Integer out of range"))
    return absl::StrCat(", which is out of range; the largest is ",
                        LargestOf(field));
  double real = 0;
  const std::string pointed = absl::StrReplaceAll(bare, {{",", "."}});
  if (!IsWhole(field) && pointed != bare && absl::SimpleAtod(pointed, &real))
    return absl::StrCat("; a number has a point: ", as(pointed));
  bare = absl::StrReplaceAll(bare, {{",", ""}});
  if (bare != typed && absl::SimpleAtod(bare, &real))
    return absl::StrCat("; a number is written as ", as(bare));
  if (!number.empty())
    return absl::StrCat("; a number is written as ", as(number));
  return absl::StrCat("; give ", NumberInFile(field));
}

}  // namespace podsim
