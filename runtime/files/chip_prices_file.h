// What a chip of each generation costs for an hour, as text: ChipPrices in
// protobuf's text format, '#' begins a comment. None ships.
//
//   PODSIM_ASSIGN_OR_RETURN(const ChipPrices prices,
//                           ReadChipPrices("prices.txt", hardware));
#ifndef PODSIM_RUNTIME_FILES_CHIP_PRICES_FILE_H_
#define PODSIM_RUNTIME_FILES_CHIP_PRICES_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/hardware.pb.h"
#include "proto/plan.pb.h"

namespace podsim {

// `hardware`: has the generations that there are. `name` stands for the text in
// messages.
// Errors: INVALID_ARGUMENT, one line that begins with NAME: what is no such
// text
//   (with the place); a generation that there is not or that has two prices; a
//   price that is not above 0; no chip at all; a currency that is no word.
absl::StatusOr<ChipPrices> ParseChipPrices(const std::string& text,
                                           const std::string& name,
                                           const Hardware& hardware);

// Errors: the same; NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT (a number in
// the place of the file).
absl::StatusOr<ChipPrices> ReadChipPrices(const std::string& path,
                                          const Hardware& hardware);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_CHIP_PRICES_FILE_H_
