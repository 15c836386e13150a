#include "host/input/write_field.h"

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/dataset.h"
#include "host/input/image_file.h"
#include "host/input/image_steps.h"
#include "host/storage/known_file.h"

namespace podsim {
namespace {

constexpr char kLabels[] = "labels";

absl::Status Bad(const SchemaField& field, const std::string& why) {
  return absl::DataLossError(
      absl::StrCat("feature ", PrintableLine(field.key), ": ", why));
}

// `exact`: it is as many, no more.
absl::Status WrongCount(const SchemaField& field, std::int64_t has,
                        const char* what, bool exact = true) {
  const bool of_classes = field.input == kLabels && field.elements() == 1;
  const bool flat = exact && has > 0 && !field.is_image();
  return Bad(
      field,
      absl::StrCat("it has ", has, " ", what, ", the schema wants ",
                   field.elements(),
                   of_classes ? ": write the number of the example's class"
                              : ": give it a shape that fits",
                   flat && !of_classes ? absl::StrCat(", [", has, "]") : ""));
}

// Of bytes that are no raw values: a photograph has a type of its own.
std::string PhotoText(std::string_view bytes) {
  const KnownFile file = KnownFileOf(bytes.substr(0, kKnownFileBytes), "");
  return file.mark == FileMark::kPhoto
             ? absl::StrCat("it is ", file.what,
                            ": give it the type image, such as "
                            "image[224,224,3]/255")
             : "";
}

// What a schema calls a type, and what values it has.
template <typename S>
constexpr const char* RangeText() {
  if constexpr (std::is_same_v<S, std::uint8_t>) return "uint8, 0 to 255";
  if constexpr (std::is_same_v<S, std::uint16_t>) return "uint16, 0 to 65535";
  if constexpr (std::is_same_v<S, std::uint32_t>)
    return "uint32, 0 to 4294967295";
  if constexpr (std::is_same_v<S, std::int32_t>)
    return "int32, -2147483648 to 2147483647";
  if constexpr (std::is_same_v<S, bool>) return "bool, 0 or 1";
  return "int32, as which int64 is read, -2147483648 to 2147483647";
}

// Of a label that is in none of so many classes.
std::string LabelText(std::int64_t label, std::int32_t classes) {
  if (label < 0)
    return absl::StrCat("label ", label,
                        " is below 0; labels are whole numbers from 0",
                        kNumberClasses);
  const std::string text =
      absl::StrCat("label ", label, " is not in 0 to ", classes - 1,
                   ": classes is ", classes, ", and labels count from 0");
  if (label >= kMostClasses) return text + ": number them so";
  return absl::StrCat(text, kMoreClasses, label + 1, " or more, or number ",
                      "them so");
}

// Writes values of S, the schema's type, as values of the input's.
template <typename S>
class ValueWriter {
 public:
  ValueWriter(const SchemaField& field, std::int32_t classes,
              std::span<std::byte> row)
      : field_(field),
        row_(row),
        scale_(1 / static_cast<float>(field.divisor)),
        classes_(field.input == kLabels && classes > 1 ? classes : 0) {}

  absl::Status Put(std::size_t at, S value) {
    if constexpr (!std::is_same_v<S, float>) {
      if (classes_ > 0 && (static_cast<std::int64_t>(value) < 0 ||
                           static_cast<std::int64_t>(value) >= classes_))
        return Bad(field_,
                   LabelText(static_cast<std::int64_t>(value), classes_));
    }
    if (field_.divisor > 0) {
      Store(at, static_cast<float>(value) * scale_);
      return absl::OkStatus();
    }
    if constexpr (std::is_same_v<S, std::int64_t>) {
      if (value < std::numeric_limits<std::int32_t>::min() ||
          value > std::numeric_limits<std::int32_t>::max())
        return OutOfRange(value);
    }
    Store(at, static_cast<Stored>(value));
    return absl::OkStatus();
  }

  // An integer of the record's, of any type.
  absl::Status PutInt(std::size_t at, std::int64_t value) {
    if constexpr (std::is_same_v<S, float>) {
      return Put(at, static_cast<float>(value));
    } else {
      constexpr auto kLeast = std::numeric_limits<S>::min();
      constexpr auto kMost = std::numeric_limits<S>::max();
      if (value < static_cast<std::int64_t>(kLeast) ||
          value > static_cast<std::int64_t>(kMost))
        return OutOfRange(value);
      return Put(at, static_cast<S>(value));
    }
  }

 private:
  // Of undivided values.
  using Stored = std::conditional_t<std::is_same_v<S, std::int64_t> ||
                                        std::is_same_v<S, std::uint16_t>,
                                    std::int32_t, S>;

  template <typename T>
  void Store(std::size_t at, T value) {
    std::memcpy(row_.data() + at * sizeof(T), &value, sizeof(T));
  }

  absl::Status OutOfRange(std::int64_t value) const {
    return Bad(field_, absl::StrCat("value ", value, " is beyond the range of ",
                                    RangeText<S>(),
                                    ": write values in it, or give another "
                                    "type"));
  }

  const SchemaField& field_;
  const std::span<std::byte> row_;
  const float scale_;
  const std::int32_t classes_;
};

// Values of which none can be out of range, of images above all.
template <typename S>
void WriteMany(const SchemaField& field, std::string_view bytes,
               std::span<std::byte> row) {
  if (field.divisor == 0) {
    std::memcpy(row.data(), bytes.data(), bytes.size());
    return;
  }
  const float scale = 1 / static_cast<float>(field.divisor);
  const std::span<float> values = RowValues<float>(row);
  for (std::size_t i = 0; i < values.size(); ++i) {
    S value;
    std::memcpy(&value, bytes.data() + i * sizeof(S), sizeof(S));
    values[i] = static_cast<float>(value) * scale;
  }
}

template <typename S>
absl::Status WrongBytes(const SchemaField& field, std::string_view bytes) {
  const auto has = static_cast<std::int64_t>(bytes.size());
  if (const std::string photo = PhotoText(bytes); !photo.empty())
    return Bad(field, photo);
  if constexpr (sizeof(S) == 1) return WrongCount(field, has, "bytes");
  const std::int64_t wanted = field.elements();
  return Bad(
      field,
      absl::StrCat(
          "it has a string of ", FormatCounted(has, "byte"),
          " where the schema wants ",
          FormatCounted(wanted, std::is_same_v<S, float> ? "float" : "integer"),
          " (or their ", wanted * std::int64_t{sizeof(S)},
          " bytes): write numbers, or name another key"));
}

template <typename S>
absl::Status WriteRaw(const SchemaField& field, std::string_view bytes,
                      std::int32_t classes, std::span<std::byte> row) {
  const auto count = static_cast<std::size_t>(field.elements());
  if (bytes.size() != count * sizeof(S)) return WrongBytes<S>(field, bytes);
  if constexpr (std::is_same_v<S, float> || std::is_same_v<S, std::uint8_t>) {
    if (field.input != kLabels) {
      WriteMany<S>(field, bytes, row);
      return absl::OkStatus();
    }
  }
  ValueWriter<S> writer(field, classes, row);
  for (std::size_t i = 0; i < count; ++i) {
    // A bool of any byte but 0 and 1 would be none.
    if constexpr (std::is_same_v<S, bool>) {
      PODSIM_RETURN_IF_ERROR(writer.Put(i, bytes[i] != 0));
    } else {
      S value;
      std::memcpy(&value, bytes.data() + i * sizeof(S), sizeof(S));
      PODSIM_RETURN_IF_ERROR(writer.Put(i, value));
    }
  }
  return absl::OkStatus();
}

template <typename S>
absl::Status WriteFloats(const SchemaField& field, std::string_view list,
                         std::span<std::byte> row) {
  if constexpr (!std::is_same_v<S, float>) {
    return Bad(field,
               "it has floats, the schema wants integers: give it the type "
               "float32");
  } else {
    const std::span<float> values = RowValues<float>(row);
    PODSIM_ASSIGN_OR_RETURN(
        const std::int64_t has,
        ReadFloats(list, absl::MakeSpan(values.data(), values.size())));
    if (has != field.elements()) return WrongCount(field, has, "values");
    const float scale = 1 / static_cast<float>(field.divisor);
    if (field.divisor > 0)
      for (float& value : values) value = value * scale;
    return absl::OkStatus();
  }
}

template <typename S>
absl::Status WriteInts(const SchemaField& field, std::string_view list,
                       std::int32_t classes, std::span<std::byte> row) {
  const auto count = static_cast<std::size_t>(field.elements());
  thread_local std::vector<std::int64_t> values;
  values.resize(count);
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t has,
                          ReadInts(list, absl::MakeSpan(values)));
  if (has != field.elements()) return WrongCount(field, has, "values");
  ValueWriter<S> writer(field, classes, row);
  for (std::size_t i = 0; i < count; ++i)
    PODSIM_RETURN_IF_ERROR(writer.PutInt(i, values[i]));
  return absl::OkStatus();
}

// strtod takes "0x10" for a number too.
bool IsDecimal(absl::string_view cell) {
  return cell.find_first_of("xX") == absl::string_view::npos;
}

template <typename S>
absl::Status WriteCell(const SchemaField& field, absl::string_view cell,
                       std::size_t at, ValueWriter<S>& writer) {
  if constexpr (std::is_same_v<S, float>) {
    float value = 0;
    if (IsDecimal(cell) && absl::SimpleAtof(cell, &value))
      return writer.Put(at, value);
  } else {
    std::int64_t value = 0;
    if (absl::SimpleAtoi(cell, &value)) return writer.PutInt(at, value);
  }
  const char* const wanted = std::is_same_v<S, float> ? "decimal" : "whole";
  return Bad(
      field,
      cell.empty()
          ? absl::StrCat("the cell is empty; give a ", wanted, " number")
          : absl::StrCat("'", PrintableLine(std::string(cell.substr(0, 40))),
                         "' is no ", wanted, " number"));
}

template <typename S>
absl::Status WriteText(const SchemaField& field, const RawFeature& feature,
                       std::int32_t classes, std::span<std::byte> row) {
  const std::string_view text = feature.bytes;
  ValueWriter<S> writer(field, classes, row);
  std::int64_t count = 0;
  for (const absl::string_view cell :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    if (count == field.elements())
      return WrongCount(field, count + 1, "values or more", /*exact=*/false);
    const absl::Status written = WriteCell(
        field, WithoutQuotes(cell), static_cast<std::size_t>(count), writer);
    if (!written.ok() && feature.column >= 0)
      return Annotate(written, absl::StrCat("column ", feature.column + count,
                                            " (from 0)"));
    PODSIM_RETURN_IF_ERROR(written);
    ++count;
  }
  if (count == field.elements()) return absl::OkStatus();
  return WrongCount(field, count, "values");
}

absl::StatusOr<std::string_view> OneString(const SchemaField& field,
                                           const FeatureView& view) {
  std::string_view bytes;
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t has,
                          ReadBytes(view.list, absl::MakeSpan(&bytes, 1)));
  if (has == 1) return bytes;
  return Bad(field, absl::StrCat("it has ", has,
                                 " strings of bytes, not 1: write one for each "
                                 "example, or leave the feature out"));
}

template <typename S>
absl::Status WriteExample(const SchemaField& field, const FeatureView& view,
                          std::int32_t classes, std::span<std::byte> row) {
  switch (view.kind) {
    case FeatureKind::kAbsent:
      return Bad(field, "the record has none of that name");
    case FeatureKind::kFloats:
      return WriteFloats<S>(field, view.list, row);
    case FeatureKind::kInts:
      return WriteInts<S>(field, view.list, classes, row);
    case FeatureKind::kBytes:
      break;
  }
  PODSIM_ASSIGN_OR_RETURN(const std::string_view bytes, OneString(field, view));
  return WriteRaw<S>(field, bytes, classes, row);
}

template <typename S>
absl::Status WriteAs(const SchemaField& field, const RawFeature& feature,
                     std::int32_t classes, std::span<std::byte> row) {
  switch (feature.kind) {
    case RawFeature::Kind::kExample:
      return WriteExample<S>(field, feature.example, classes, row);
    case RawFeature::Kind::kRaw:
      return WriteRaw<S>(field, feature.bytes, classes, row);
    case RawFeature::Kind::kText:
      return WriteText<S>(field, feature, classes, row);
    case RawFeature::Kind::kNumber:
      if (field.elements() != 1) return WrongCount(field, 1, "value");
      return ValueWriter<S>(field, classes, row).PutInt(0, feature.number);
  }
  return absl::OkStatus();
}

// The bytes of an image: a file, or its pixels.
absl::Status WriteImage(const SchemaField& field, const RawFeature& feature,
                        const WriteContext& context, std::span<std::byte> row) {
  std::string_view bytes = feature.bytes;
  if (feature.kind == RawFeature::Kind::kExample) {
    if (feature.example.kind != FeatureKind::kBytes)
      return Bad(field, feature.example.kind == FeatureKind::kAbsent
                            ? "the record has none of that name"
                            : "it has numbers, not the bytes of an image: give "
                              "it a type of numbers, such as float32 or int64");
    PODSIM_ASSIGN_OR_RETURN(bytes, OneString(field, feature.example));
  } else if (feature.kind != RawFeature::Kind::kRaw) {
    return Bad(field,
               "it is a number, not the bytes of an image: give it the type "
               "int64");
  }
  thread_local Pixels pixels;
  if (field.type == FeatureType::kUint8) {
    if (static_cast<std::int64_t>(bytes.size()) != field.elements())
      return WrongBytes<std::uint8_t>(field, bytes);
    pixels.rows = field.shape[0];
    pixels.columns = field.shape[1];
    pixels.channels = field.shape[2];
    pixels.values.assign(bytes.begin(), bytes.end());
  } else {
    const TimedInput timed(context.times, InputPart::kDecode);
    const absl::Status decoded = DecodeImage(bytes, field.shape[2], pixels);
    if (!decoded.ok()) return Bad(field, std::string(decoded.message()));
    if (context.warning != nullptr && !pixels.warning.empty())
      *context.warning = absl::StrCat("feature ", PrintableLine(field.key),
                                      ": ", pixels.warning);
  }
  const TimedInput timed(context.times, InputPart::kAugment);
  RunImageSteps(pixels, field, context.training, context.key, row);
  return absl::OkStatus();
}

}  // namespace

absl::string_view WithoutQuotes(absl::string_view cell) {
  cell = absl::StripAsciiWhitespace(cell);
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
    cell = cell.substr(1, cell.size() - 2);
  return cell;
}

absl::Status WriteField(const SchemaField& field, const RawFeature& feature,
                        const WriteContext& context, std::span<std::byte> row) {
  PODSIM_CHECK(row.size() == static_cast<std::size_t>(field.elements() *
                                                      SizeOf(field.dtype())));
  if (field.is_image()) return WriteImage(field, feature, context, row);
  const std::int32_t classes = context.classes;
  switch (field.type) {
    case FeatureType::kFloat32:
      return WriteAs<float>(field, feature, classes, row);
    case FeatureType::kInt32:
      return WriteAs<std::int32_t>(field, feature, classes, row);
    case FeatureType::kInt64:
      return WriteAs<std::int64_t>(field, feature, classes, row);
    case FeatureType::kUint32:
      return WriteAs<std::uint32_t>(field, feature, classes, row);
    case FeatureType::kUint16:
      return WriteAs<std::uint16_t>(field, feature, classes, row);
    case FeatureType::kUint8:
      return WriteAs<std::uint8_t>(field, feature, classes, row);
    case FeatureType::kBool:
      return WriteAs<bool>(field, feature, classes, row);
    case FeatureType::kImage:
      break;
  }
  return absl::OkStatus();
}

}  // namespace podsim
