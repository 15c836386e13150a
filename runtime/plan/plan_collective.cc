#include "runtime/plan/plan_collective.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/job/bench_settings.h"
#include "runtime/job/ici_fault.h"
#include "runtime/job/spec_check.h"
#include "runtime/plan/collective_table.h"
#include "runtime/plan/slice_list.h"
#include "settings/byte_count.h"
#include "settings/setting.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr char kDefaultSlice[] = "v3-32";

// Whether the largest size is another than where nobody gives one.
bool SaysLargest(const PlanSettings& settings) {
  const auto* const field = PlanSettings::descriptor()->FindFieldByNumber(
      PlanSettings::kMaxbytesFieldNumber);
  return SettingOf(*field).default_() != ByteCountText(settings.maxbytes());
}

absl::StatusOr<std::vector<std::int64_t>> SizesOf(
    const PlanSettings& settings) {
  PODSIM_CHECK(settings.stepfactor() > 1);
  PODSIM_RETURN_IF_ERROR(CheckSizeOrder(
      settings.minbytes(), settings.maxbytes(), SaysLargest(settings)));
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
  if (!slice.link_faults.empty()) {
    Slice sound = slice;
    sound.link_faults.clear();
    PriceRequest same = request;
    same.algorithm = row.price.algorithm;
    PODSIM_ASSIGN_OR_RETURN(row.sound, PriceCollective(sound, same));
    row.sound->plan = nullptr;
  }
  row.bounds = BoundsOf(slice, request);
  return row;
}

// The rows, and what they cannot say: each line begins with '#'.
struct Rows {
  std::vector<CollectiveRow> rows;
  std::string notes;
};

absl::StatusOr<std::vector<Slice>> SlicesOf(const PlanSettings& settings,
                                            const JobSpec& job,
                                            const Hardware& hardware) {
  std::vector<std::string> names(settings.topology().begin(),
                                 settings.topology().end());
  if (names.empty()) names = {kDefaultSlice};
  PODSIM_ASSIGN_OR_RETURN(std::vector<Slice> slices,
                          SlicesNamed(names, SliceOptionsOf(job, hardware)));
  PODSIM_RETURN_IF_ERROR(CheckNoneTwice(slices));
  return WithIciFault(std::move(slices), job);
}

// Of slices that stayed as they are.
std::string SoundText(const std::vector<Slice>& slices, const JobSpec& job) {
  std::string text;
  for (const Slice& slice : slices)
    if (job.has_ici_fault() && slice.link_faults.empty())
      absl::StrAppend(&text, "# ", slice.name,
                      " has no such wire and is priced as it is\n");
  return text;
}

absl::StatusOr<Rows> RowsOf(const PlanSettings& settings, const JobSpec& job,
                            const Hardware& hardware) {
  Rows all;
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Slice> slices,
                          SlicesOf(settings, job, hardware));
  PriceRequest request;
  request.collective = *CollectiveNamed(WordOf(settings.collective()));
  request.element_bytes = job.ici_dtype() == words::WireType::bfloat16 ? 2 : 4;
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> sizes,
                          SizesOf(settings));
  all.notes = SoundText(slices, job);
  const auto algorithms = AlgorithmsOf(settings, request.collective);
  for (const std::int64_t size : sizes) {
    for (const auto& algorithm : algorithms) {
      for (const Slice& slice : slices) {
        // Whole elements, as pod_bench has them.
        request.bytes = size - size % request.element_bytes;
        request.algorithm = algorithm;
        auto row = PriceRow(slice, hardware, request);
        const absl::Status status = Annotate(row.status(), slice.name);
        // One of several is left out, by name.
        if (absl::IsResourceExhausted(status) && algorithms.size() > 1)
          absl::StrAppend(&all.notes, "# ", std::string(status.message()),
                          "\n");
        else if (!status.ok())
          return status;
        else
          all.rows.push_back(*std::move(row));
      }
    }
  }
  return all;
}

bool IsDrawnRather(const CollectiveRow& row, const CollectiveRow& than) {
  if (row.request.bytes != than.request.bytes)
    return row.request.bytes > than.request.bytes;
  return row.price.time < than.price.time;
}

// Of each slice the cheapest row of the largest size.
std::string DrawLargest(const std::vector<CollectiveRow>& rows) {
  std::vector<const CollectiveRow*> drawn;
  for (const CollectiveRow& row : rows) {
    const auto of_slice =
        std::find_if(drawn.begin(), drawn.end(), [&](const CollectiveRow* is) {
          return is->slice.name == row.slice.name;
        });
    if (of_slice == drawn.end())
      drawn.push_back(&row);
    else if (IsDrawnRather(row, **of_slice))
      *of_slice = &row;
  }
  std::string text;
  for (const CollectiveRow* row : drawn) text += DrawLinks(*row);
  return text;
}

}  // namespace

absl::StatusOr<std::string> PlanCollective(const PlanSettings& settings,
                                           const JobSpec& job,
                                           const Hardware& hardware,
                                           int columns) {
  PODSIM_ASSIGN_OR_RETURN(const Rows all, RowsOf(settings, job, hardware));
  if (settings.json())
    return FormatCollectiveJson(all.rows, settings.draw_links());
  std::string below = all.notes;
  for (const CollectiveRow& row : all.rows)
    if (row.sound) below += WhoWaits(row);
  if (!below.empty()) below.insert(0, "#\n");
  return absl::StrCat(
      FormatCollectiveTable(all.rows, columns), below,
      settings.draw_links() ? DrawLargest(all.rows) : std::string());
}

}  // namespace podsim
