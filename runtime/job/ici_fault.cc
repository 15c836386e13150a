#include "runtime/job/ici_fault.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "interconnect/timing/network.h"
#include "settings/meant_number.h"

namespace podsim {
namespace {

std::optional<Coordinate> ParsePlace(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "(") || !absl::ConsumeSuffix(&text, ")"))
    return std::nullopt;
  std::vector<int> numbers;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    int number = 0;
    if (!absl::SimpleAtoi(part, &number)) return std::nullopt;
    numbers.push_back(number);
  }
  if (numbers.size() < 2 || numbers.size() > 3) return std::nullopt;
  return Coordinate{numbers[0], numbers[1],
                    numbers.size() == 3 ? numbers[2] : 0};
}

// What is wrong, as an error's message: "its rate is '2'".
absl::StatusOr<LinkFault> Parse(absl::string_view text) {
  const auto wrong = [](const std::string& what) {
    return absl::InvalidArgumentError(what);
  };
  if (!absl::ConsumePrefix(&text, "link:"))
    return wrong("it does not begin with link:");
  if (absl::StrContains(text, "link:")) return wrong("it has several links");
  const std::size_t between = text.find(")-(");
  if (between == absl::string_view::npos)
    return wrong("no )-( stands between two chips");
  const std::size_t end = text.find(')', between + 1);
  if (end == absl::string_view::npos ||
      !absl::StartsWith(text.substr(end + 1), ":"))
    return wrong("no rate stands behind the second chip and a colon");
  const auto from = ParsePlace(text.substr(0, between + 1));
  const auto to = ParsePlace(text.substr(between + 2, end - between - 1));
  if (!from || !to)
    return wrong("a chip is not two or three whole numbers in parentheses");
  const std::string rate(text.substr(end + 2));
  LinkFault fault = {.from = *from, .to = *to};
  if (!absl::SimpleAtod(rate, &fault.rate) ||
      !(fault.rate >= 0 && fault.rate <= 1)) {
    const auto part = PartMeant(rate);
    return wrong(absl::StrCat("its rate is '", PrintableLine(rate), "'",
                              part ? absl::StrCat(", here ", *part) : ""));
  }
  return fault;
}

}  // namespace

absl::StatusOr<LinkFault> ParseIciFault(const std::string& text) {
  const absl::StatusOr<LinkFault> fault = Parse(text);
  if (fault.ok()) return *fault;
  return absl::InvalidArgumentError(absl::StrCat(
      "ici_fault is '", PrintableLine(text.substr(0, 80)), "', and ",
      fault.status().message(),
      ": give link:(X,Y)-(X,Y):RATE, two neighbouring chips and what is left "
      "of the rate between them, 0 (cut) to 1, as in link:(3,1)-(4,1):0.25"));
}

absl::StatusOr<Slice> WithIciFault(Slice slice, const JobSpec& spec) {
  if (!spec.has_ici_fault()) return slice;
  PODSIM_ASSIGN_OR_RETURN(const LinkFault fault,
                          ParseIciFault(spec.ici_fault()));
  slice.link_faults = {fault};
  PODSIM_RETURN_IF_ERROR(Annotate(CheckNetwork(NetworkOf(slice)),
                                  absl::StrCat("ici_fault on ", slice.name)));
  return slice;
}

absl::StatusOr<std::vector<Slice>> WithIciFault(std::vector<Slice> slices,
                                                const JobSpec& spec) {
  absl::Status first;
  bool any = false;
  for (Slice& slice : slices) {
    absl::StatusOr<Slice> faulty = WithIciFault(slice, spec);
    any = any || faulty.ok();
    if (faulty.ok())
      slice = *std::move(faulty);
    else if (first.ok())
      first = faulty.status();
  }
  if (!any && !first.ok()) return first;
  return slices;
}

}  // namespace podsim
