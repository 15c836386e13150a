#include "runtime/files/geography_file.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/topology/bucket_links.h"
#include "runtime/files/text_file.h"

namespace podsim {
namespace {

constexpr TextKind kLinksText = {
    .name = "table of links",
    .example =
        "links { from: \"us-central1\" to: \"europe-west4\" "
        "round_trip_seconds { value: X } host_bytes_per_second { value: "
        "X } }, a way a line"};
constexpr TextKind kPricesText = {
    .name = "table of prices",
    .example =
        "currency: \"USD\" and prices { from: \"us-central1\" to: "
        "\"europe\" per_gib: X }, a way a line"};

}  // namespace

absl::StatusOr<BucketLinks> ParseLinks(const std::string& text,
                                       const std::string& name) {
  BucketLinks links;
  PODSIM_RETURN_IF_ERROR(ParseText(text, name, kLinksText, links));
  PODSIM_RETURN_IF_ERROR(Annotate(CheckLinks(links), name));
  return links;
}

absl::StatusOr<BucketPrices> ParsePrices(const std::string& text,
                                         const std::string& name) {
  BucketPrices prices;
  PODSIM_RETURN_IF_ERROR(ParseText(text, name, kPricesText, prices));
  PODSIM_RETURN_IF_ERROR(Annotate(CheckPrices(prices), name));
  return prices;
}

absl::StatusOr<BucketLinks> ReadLinks(const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text, ReadText(path, kLinksText));
  return ParseLinks(text, path);
}

absl::StatusOr<BucketPrices> ReadPrices(const std::string& path) {
  double price = 0;
  std::error_code ignored;
  if (absl::SimpleAtod(path, &price) && !std::filesystem::exists(path, ignored))
    return absl::InvalidArgumentError(absl::StrCat(
        "--prices is \"", path,
        "\", but it takes a file of what a GiB that leaves a region costs; the "
        "price of a chip is pod_plan's --price_per_chip_hour ",
        path));
  PODSIM_ASSIGN_OR_RETURN(const std::string text, ReadText(path, kPricesText));
  return ParsePrices(text, path);
}

}  // namespace podsim
