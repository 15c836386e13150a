#include "runtime/ckpt/comparison.h"

#include <google/protobuf/util/message_differencer.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/part_file.h"
#include "runtime/ckpt/ckpt_text.h"

namespace podsim {
namespace {

using google::protobuf::util::MessageDifferencer;

std::string HeadText(const CheckpointAt& a, const CheckpointAt& b) {
  std::string text;
  for (const auto& [label, at] : {std::pair("a", &a), std::pair("b", &b)})
    text += Labelled(
        label, absl::StrCat(at->path, ": step ", FormatCount(at->step), ", ",
                            FormatCount(at->manifest.examples_consumed()),
                            " examples, ", at->manifest.bits().slice(),
                            ", plan ", ShortHash(at->manifest.plan_hash())));
  return text;
}

// "  slice: "v3-32" -> "v3-8"", a line for each field; empty: none differs.
std::string PlanDifferences(const PlanBits& a, const PlanBits& b) {
  std::string report;
  MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&report);
  differencer.Compare(a, b);
  std::string text;
  for (const absl::string_view line :
       absl::StrSplit(report, '\n', absl::SkipEmpty()))
    absl::StrAppend(&text, "  ", absl::StripPrefix(line, "modified: "), "\n");
  return text;
}

struct Tensor {
  std::string shape;
  std::string bytes;
};

absl::StatusOr<std::map<std::string, Tensor>> ReadTensors(
    ObjectStore& store, const CheckpointAt& from) {
  std::map<std::string, Tensor> tensors;
  for (const CheckpointFile& file : from.manifest.files()) {
    PODSIM_RETURN_IF_ERROR(ReadPart(store, from.files, from.manifest, file,
                                    [&](const CheckpointTensor& tensor,
                                        std::int64_t, std::string_view bytes) {
                                      Tensor& read = tensors[tensor.name()];
                                      read.shape = ShapeText(tensor);
                                      read.bytes.append(bytes);
                                    }));
  }
  return tensors;
}

// How a tensor of b differs from a's of that name.
struct Difference {
  std::string instead;  // of a comparison: there is none, or its reason
  std::int64_t elements = 0;
  std::int64_t differ = 0;
  double largest = 0;
};

// Pieces of equal length of two tensors of the same shape.
void CountDifferences(std::string_view a, std::string_view b,
                      Difference& difference) {
  const std::size_t elements = a.size() / sizeof(float);
  difference.elements += static_cast<std::int64_t>(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::memcpy(&x, a.data() + i * sizeof(float), sizeof(float));
    std::memcpy(&y, b.data() + i * sizeof(float), sizeof(float));
    if (x == y) continue;
    ++difference.differ;
    const double distance =
        std::abs(static_cast<double>(std::bit_cast<float>(x)) -
                 static_cast<double>(std::bit_cast<float>(y)));
    // A nan on one side is farther than any number: nothing exceeds it.
    if (std::isnan(distance) || distance > difference.largest)
      difference.largest = distance;
  }
}

void Compare(const Tensor* a, const CheckpointTensor& b, std::int64_t offset,
             std::string_view bytes, Difference& difference) {
  const std::string shape = ShapeText(b);
  if (a == nullptr) {
    difference.instead = "only in b";
  } else if (a->shape != shape) {
    difference.instead = absl::StrCat(a->shape, " -> ", shape);
  } else {
    CountDifferences(std::string_view(a->bytes).substr(offset, bytes.size()),
                     bytes, difference);
  }
}

// Empty: the same bits.
std::string Text(const Difference& difference) {
  if (!difference.instead.empty()) return difference.instead;
  if (difference.differ == 0) return "";
  return absl::StrFormat("%s of %s differ, by at most %.6g",
                         FormatCount(difference.differ),
                         FormatCount(difference.elements), difference.largest);
}

}  // namespace

absl::StatusOr<Comparison> Compare(ObjectStore& store, const CheckpointAt& a,
                                   const CheckpointAt& b) {
  PODSIM_ASSIGN_OR_RETURN(auto left, ReadTensors(store, a));
  std::map<std::string, Difference> differ;  // by tensor
  for (const CheckpointFile& file : b.manifest.files()) {
    PODSIM_RETURN_IF_ERROR(
        ReadPart(store, b.files, b.manifest, file,
                 [&](const CheckpointTensor& tensor, std::int64_t offset,
                     std::string_view bytes) {
                   const auto found = left.find(tensor.name());
                   Compare(found == left.end() ? nullptr : &found->second,
                           tensor, offset, bytes, differ[tensor.name()]);
                 }));
  }
  for (const auto& [name, tensor] : left)
    differ.try_emplace(name, Difference{.instead = "only in a"});
  const std::size_t tensors = differ.size();
  std::erase_if(differ,
                [](const auto& item) { return Text(item.second).empty(); });

  Comparison result{.text = HeadText(a, b)};
  const std::string plan =
      PlanDifferences(a.manifest.bits(), b.manifest.bits());
  result.equal =
      plan.empty() && differ.empty() && a.step == b.step &&
      a.manifest.examples_consumed() == b.manifest.examples_consumed();
  if (plan.empty()) {
    result.text += Labelled("plans", "equal");
  } else {
    absl::StrAppend(&result.text, "plans differ\n", plan);
  }
  absl::StrAppend(&result.text,
                  Labelled("tensors", absl::StrCat(differ.size(), " of ",
                                                   tensors, " differ")));
  for (const auto& [name, how] : differ)
    absl::StrAppend(&result.text, "  ", PrintableLine(name), ": ", Text(how),
                    "\n");
  return result;
}

}  // namespace podsim
