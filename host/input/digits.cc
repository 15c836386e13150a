#include "host/input/digits.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/input/byte_dataset.h"
#include "host/input/gunzip.h"

// The file goes into the read-only data as it is; the build passes its path.
asm(R"(
  .pushsection .rodata
  .balign 16
podsim_digits_begin:
  .incbin ")" PODSIM_DIGITS_FILE R"("
podsim_digits_end:
  .popsection
)");
extern "C" {
extern const char podsim_digits_begin[];
extern const char podsim_digits_end[];
}

namespace podsim {
namespace {

constexpr std::int64_t kSide = 8;
constexpr std::int64_t kPixels = kSide * kSide;
constexpr std::int64_t kLines = 1797;
constexpr int kMaxPixel = 16;
constexpr int kMaxLabel = 9;
constexpr std::int64_t kMaxCsvBytes = std::int64_t{1} << 20;
// Every sixth image is held out. Neighbours are by the same writers; the last
// sixth in one piece would be other writers and a harder, different task.
constexpr std::int64_t kHoldOutEvery = 6;
constexpr std::int64_t kHoldOutPlace = 5;

absl::Status CorruptDigits(std::int64_t line, std::int64_t field,
                           const std::string& reason) {
  return absl::DataLossError(absl::StrCat("digits.csv: line ", line + 1,
                                          ", field ", field + 1, ": ", reason));
}

// Takes a number of at most `most` and the `end` after it off the front of
// `csv`.
absl::StatusOr<char> TakeNumber(std::string_view& csv, int most, char end,
                                std::int64_t line, std::int64_t field) {
  int value = 0;
  std::size_t length = 0;
  for (; length < csv.size() && csv[length] >= '0' && csv[length] <= '9';
       ++length)
    value = std::min(value * 10 + (csv[length] - '0'), most + 1);
  if (length == csv.size())
    return CorruptDigits(line, field, "the data ends here");
  if (length == 0 || csv[length] != end || (length > 1 && csv[0] == '0'))
    return CorruptDigits(line, field, "not a number and its separator");
  if (value > most)
    return CorruptDigits(line, field, absl::StrCat("must be 0 to ", most));
  csv.remove_prefix(length + 1);
  return static_cast<char>(value);
}

void AddDigitsField(const char* name, const char* dtype,
                    const std::vector<std::int32_t>& shape,
                    DatasetConfig& config) {
  DataFieldConfig& field = *config.add_fields();
  field.set_name(name);
  field.set_dtype(dtype);
  field.mutable_shape()->Add(shape.begin(), shape.end());
}

ByteSplit TakeRows(const DigitsTable& table, bool held_out) {
  ByteSplit split;
  for (std::int64_t row = 0; row < kLines; ++row) {
    if ((row % kHoldOutEvery == kHoldOutPlace) != held_out) continue;
    split.bytes.append(table.pixels, row * kPixels, kPixels);
    split.labels += table.labels[row];
  }
  return split;
}

}  // namespace

std::string_view EmbeddedDigits() {
  return {podsim_digits_begin,
          static_cast<std::size_t>(podsim_digits_end - podsim_digits_begin)};
}

absl::StatusOr<DigitsTable> ParseDigits(std::string_view csv) {
  DigitsTable table;
  table.pixels.reserve(kLines * kPixels);
  for (std::int64_t line = 0; line < kLines; ++line) {
    for (std::int64_t field = 0; field < kPixels; ++field) {
      PODSIM_ASSIGN_OR_RETURN(const char pixel,
                              TakeNumber(csv, kMaxPixel, ',', line, field));
      table.pixels += pixel;
    }
    PODSIM_ASSIGN_OR_RETURN(const char label,
                            TakeNumber(csv, kMaxLabel, '\n', line, kPixels));
    table.labels += label;
  }
  if (!csv.empty())
    return CorruptDigits(kLines, 0, "more data than the 1,797 images");
  return table;
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenDigits() {
  PODSIM_ASSIGN_OR_RETURN(
      const std::string csv,
      Gunzip(EmbeddedDigits(), kMaxCsvBytes, "built-in digits.csv.gz"));
  PODSIM_ASSIGN_OR_RETURN(const DigitsTable table, ParseDigits(csv));
  ByteSplit train = TakeRows(table, /*held_out=*/false);
  ByteSplit eval = TakeRows(table, /*held_out=*/true);
  DatasetConfig config;
  config.set_name("digits");
  config.add_example_shape(kSide);
  config.add_example_shape(kSide);
  config.set_classes(kMaxLabel + 1);
  config.set_train_examples(static_cast<std::int64_t>(train.labels.size()));
  config.set_eval_examples(static_cast<std::int64_t>(eval.labels.size()));
  config.set_fingerprint(Sha256Hex(EmbeddedDigits()));
  AddDigitsField("features", "float32", {kSide, kSide}, config);
  AddDigitsField("labels", "int32", {}, config);
  AddDigitsField("tokens", "int32", {kPixels}, config);
  return NewByteDataset(std::move(config), kMaxPixel, std::move(train),
                        std::move(eval));
}

}  // namespace podsim
