#include "runtime/plan/pod_plan.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "proto/plan.pb.h"
#include "runtime/files/text_file.h"
#include "runtime/job/spec_check.h"
#include "runtime/plan/collective_table.h"
#include "runtime/plan/ici_fault.h"
#include "runtime/plan/slice_list.h"
#include "settings/command_line.h"
#include "settings/programs.h"
#include "settings/setting.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr char kDefaultSlice[] = "v3-32";
constexpr TextKind kHardwareText = {"hardware",
                                    "as pod_launch --print_hardware writes it"};

absl::StatusOr<Hardware> HardwareOf(const PlanSettings& settings) {
  if (!settings.has_hardware()) return ShippedHardware();
  PODSIM_ASSIGN_OR_RETURN(const std::string text,
                          ReadText(settings.hardware(), kHardwareText));
  return WithHardware(ShippedHardware(), text, settings.hardware());
}

absl::StatusOr<std::vector<Slice>> SlicesOf(const PlanSettings& settings,
                                            const Hardware& hardware) {
  std::vector<std::string> items(settings.topology().begin(),
                                 settings.topology().end());
  if (items.empty()) items = {kDefaultSlice};
  return SlicesNamed(items, {.wrap = WrapOf(settings.wrap()),
                             .twist = settings.twist(),
                             .hardware = &hardware});
}

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
    const auto word = static_cast<IciAlgorithm::Word>(number);
    if (word == IciAlgorithm::all) {
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
  row.bounds = BoundsOf(slice, request);
  return row;
}

absl::StatusOr<std::vector<CollectiveRow>> RowsOf(const PlanSettings& settings,
                                                  const Hardware& hardware) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Slice> slices,
                          SlicesOf(settings, hardware));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::int64_t> sizes,
                          SizesOf(settings));
  PriceRequest request;
  request.collective = *CollectiveNamed(WordOf(settings.collective()));
  request.element_bytes =
      settings.ici_dtype() == words::WireType::bfloat16 ? 2 : 4;
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

absl::StatusOr<std::string> TextOf(const PlanSettings& settings) {
  PODSIM_ASSIGN_OR_RETURN(const Hardware hardware, HardwareOf(settings));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<CollectiveRow> rows,
                          RowsOf(settings, hardware));
  if (settings.json()) return FormatCollectiveJson(rows);
  PODSIM_ASSIGN_OR_RETURN(const std::string faults, FaultText(rows));
  return absl::StrCat(
      FormatCollectiveTable(rows), faults,
      settings.links() ? DrawLinks(rows.back()) : std::string());
}

}  // namespace

PlanResult RunPlan(const std::vector<std::string>& args) {
  PlanSettings settings;
  const auto refuse = [](const absl::Status& status) {
    return PlanResult{2, "", std::string(status.message())};
  };
  const auto line = ParseCommandLine(PodPlan(), args, {}, {&settings});
  if (!line.ok()) return refuse(line.status());
  if (!line->text.empty()) return {0, line->text, ""};
  FillDefaults(settings);
  const auto text = TextOf(settings);
  if (!text.ok()) return refuse(text.status());
  return {0, *text, ""};
}

}  // namespace podsim
