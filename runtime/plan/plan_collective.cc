#include "runtime/plan/plan_collective.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/job/spec_check.h"
#include "runtime/plan/collective_table.h"
#include "runtime/plan/ici_fault.h"
#include "runtime/plan/slice_list.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr char kDefaultSlice[] = "v3-32";

absl::StatusOr<std::vector<std::int64_t>> SizesOf(
    const PlanSettings& settings) {
  PODSIM_CHECK(settings.stepfactor() > 1);
  if (settings.minbytes() > settings.maxbytes())
    return absl::InvalidArgumentError(
        absl::StrCat("minbytes is ", settings.minbytes(), ", maxbytes ",
                     settings.maxbytes(), ": -b must not be above -e"));
  // A barrier has no size.
  if (settings.collective() == words::Collective::barrier)
    return std::vector<std::int64_t>{0};
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = settings.minbytes(); size <= settings.maxbytes();
       size = size == 0 ? 1 : size * settings.stepfactor())
    sizes.push_back(size);
  return sizes;
}

// nullopt: auto.
std::vector<std::optional<ChipAlgorithm>> AlgorithmsOf(
    const PlanSettings& settings, Collective collective) {
  std::vector<std::optional<ChipAlgorithm>> algorithms;
  for (const int number : settings.ici_algorithm()) {
    const auto word = static_cast<words::IciAlgorithm::Word>(number);
    if (word == words::IciAlgorithm::all) {
      for (const ChipAlgorithm algorithm : AllChipAlgorithms())
        if (Supports(collective, algorithm)) algorithms.emplace_back(algorithm);
    } else {
      algorithms.push_back(ChipAlgorithmNamed(WordOf(word)));
    }
  }
  return algorithms;
}

absl::StatusOr<CollectiveRow> PriceRow(const Slice& slice,
                                       const Hardware& hardware,
                                       const PriceRequest& request) {
  CollectiveRow row{.slice = slice, .request = request};
  PODSIM_ASSIGN_OR_RETURN(row.price, PriceCollective(slice, request));
  PODSIM_ASSIGN_OR_RETURN(
      row.band, BandOf(slice, *FindGeneration(hardware, slice.generation),
                       request, row.price));
  row.price.plan = nullptr;  // large, and of no more use
  row.bounds = BoundsOf(slice, request);
  return row;
}

absl::StatusOr<std::vector<CollectiveRow>> RowsOf(const PlanSettings& settings,
                                                  const JobSpec& job,
                                                  const Hardware& hardware) {
  std::vector<std::string> names(settings.topology().begin(),
                                 settings.topology().end());
  if (names.empty()) names = {kDefaultSlice};
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Slice> slices,
                          SlicesNamed(names, {.wrap = WrapOf(job.wrap()),
                                              .twist = job.twist(),
                                              .hardware = &hardware}));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> sizes,
                          SizesOf(settings));
  PriceRequest request;
  request.collective = *CollectiveNamed(WordOf(settings.collective()));
  request.element_bytes = job.ici_dtype() == words::WireType::bfloat16 ? 2 : 4;
  if (settings.has_ici_fault()) {
    PODSIM_ASSIGN_OR_RETURN(const LinkFault fault,
                            ParseIciFault(settings.ici_fault()));
    request.faults.push_back(fault);
  }
  std::vector<CollectiveRow> rows;
  for (const std::int64_t size : sizes) {
    for (const auto& algorithm : AlgorithmsOf(settings, request.collective)) {
      for (const Slice& slice : slices) {
        request.bytes = size;
        request.algorithm = algorithm;
        auto row = PriceRow(slice, hardware, request);
        if (!row.ok()) return Annotate(row.status(), slice.name);
        rows.push_back(*std::move(row));
      }
    }
  }
  return rows;
}

absl::StatusOr<std::string> FaultText(const std::vector<CollectiveRow>& rows) {
  std::string text;
  for (const CollectiveRow& row : rows) {
    if (row.request.faults.empty()) continue;
    PriceRequest sound = row.request;
    sound.faults.clear();
    sound.algorithm = row.price.algorithm;
    PODSIM_ASSIGN_OR_RETURN(const Price price,
                            PriceCollective(row.slice, sound));
    text += WhoWaits(row, price);
  }
  return text.empty() ? text : "#\n" + text;
}

}  // namespace

absl::StatusOr<std::string> PlanCollective(const PlanSettings& settings,
                                           const JobSpec& job,
                                           const Hardware& hardware) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<CollectiveRow> rows,
                          RowsOf(settings, job, hardware));
  if (settings.json()) return FormatCollectiveJson(rows);
  PODSIM_ASSIGN_OR_RETURN(const std::string faults, FaultText(rows));
  return absl::StrCat(
      FormatCollectiveTable(rows), faults,
      settings.links() ? DrawLinks(rows.back()) : std::string());
}

}  // namespace podsim
