#include "host/input/synthetic_fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/status.h"
#include "host/input/schema.h"
#include "host/input/synthetic.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostSynthetic = std::int64_t{1} << 40;

// Of a field's values.
struct FieldMaker {
  std::uint64_t keys[2] = {};  // of training, of the eval split
  DType dtype = DType::kFloat32;
  std::uint64_t below = 2;
};

template <typename T>
void Put(T value, std::size_t place, std::span<std::byte> row) {
  std::memcpy(row.data() + place * sizeof(T), &value, sizeof(T));
}

void PutValue(const FieldMaker& maker, std::uint32_t word, std::size_t place,
              std::span<std::byte> row) {
  const std::uint64_t number = (word * maker.below) >> 32;
  switch (maker.dtype) {
    case DType::kFloat32:
      return Put(static_cast<float>(word >> 8) * 0x1p-24F, place, row);
    case DType::kInt32:
      return Put(static_cast<std::int32_t>(number), place, row);
    case DType::kUint32:
      return Put(static_cast<std::uint32_t>(number), place, row);
    default:  // a byte: no line of schema names a bfloat16
      return Put(static_cast<std::uint8_t>(number), place, row);
  }
}

class SyntheticFields final : public Dataset {
 public:
  SyntheticFields(DatasetConfig config, std::vector<FieldMaker> makers)
      : config_(std::move(config)), makers_(std::move(makers)) {}

  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples()
                                  : config_.eval_examples();
  }
  const DatasetConfig& config() const override { return config_; }

  absl::Status Read(Split split, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    PODSIM_CHECK(index >= 0 && index < size(split) &&
                 rows.size() == makers_.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      Fill(makers_[i], split, index, rows[i]);
    return absl::OkStatus();
  }

 private:
  static void Fill(const FieldMaker& maker, Split split, std::int64_t index,
                   std::span<std::byte> row) {
    const std::size_t count =
        row.size() / static_cast<std::size_t>(SizeOf(maker.dtype));
    const std::uint64_t key = maker.keys[split == Split::kTrain ? 0 : 1];
    for (std::size_t place = 0; place < count; place += 4) {
      const std::array<std::uint32_t, 4> words =
          Philox(key, place / 4, static_cast<std::uint64_t>(index));
      const std::size_t end = std::min<std::size_t>(4, count - place);
      for (std::size_t i = 0; i < end; ++i)
        PutValue(maker, words[i], place + i, row);
    }
  }

  const DatasetConfig config_;
  const std::vector<FieldMaker> makers_;
};

absl::StatusOr<FieldMaker> MakerOf(const SchemaField& field,
                                   std::uint64_t seed) {
  if (field.is_image())
    return absl::InvalidArgumentError(absl::StrCat(
        "features, ", field.input,
        ": data set synthetic has no images; give uint8[rows,columns,3]/255"));
  FieldMaker maker;
  maker.dtype = field.dtype();
  if (maker.dtype == DType::kFloat32 && field.below > 0)
    return absl::InvalidArgumentError(
        absl::StrCat("features, ", field.input, ": <", field.below,
                     " is of whole numbers; real ones are below 1"));
  maker.keys[0] = RandomKey(seed, absl::StrCat("synthetic/", field.input));
  maker.keys[1] = RandomKey(seed, absl::StrCat("synthetic/eval/", field.input));
  if (field.below > 0) maker.below = static_cast<std::uint64_t>(field.below);
  const std::uint64_t most = maker.dtype == DType::kBool    ? 2
                             : maker.dtype == DType::kUint8 ? 256
                                                            : 0x80000000;
  if (maker.below > most)
    return absl::InvalidArgumentError(
        absl::StrCat("features, ", field.input, ": ", ToString(maker.dtype),
                     " holds no numbers up to ", maker.below - 1));
  return maker;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenSyntheticFields(
    const DatasetRequest& request) {
  if (request.examples < 0 || request.examples > kMostSynthetic)
    return absl::InvalidArgumentError(absl::StrCat(
        "synthetic_examples is ", request.examples, "; must be 1 to ",
        kMostSynthetic, ", or 0 for ", kSyntheticDefaultExamples));
  const std::int64_t examples =
      request.examples == 0 ? kSyntheticDefaultExamples : request.examples;
  PODSIM_ASSIGN_OR_RETURN(const Schema schema, ParseSchema(request.features));
  std::vector<FieldMaker> makers;
  for (const SchemaField& field : schema.fields) {
    PODSIM_ASSIGN_OR_RETURN(const FieldMaker maker,
                            MakerOf(field, request.seed));
    makers.push_back(maker);
  }
  DatasetConfig config;
  config.set_name("synthetic");
  config.set_classes(1);
  config.set_train_examples(examples);
  config.set_eval_examples(std::max<std::int64_t>(1, examples / 6));
  DescribeSchema(schema, config);
  // "1" is the generator's version: raise it when the same request gives other
  // values.
  config.set_fingerprint(
      Sha256Hex(absl::StrCat("synthetic fields 1 ", schema.line, " examples ",
                             examples, " seed ", request.seed)));
  return std::make_shared<SyntheticFields>(std::move(config),
                                           std::move(makers));
}

}  // namespace podsim
