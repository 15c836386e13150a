// Numbers as people write them where settings take them otherwise: what a
// refusal offers instead. Pure.
#ifndef PODSIM_SETTINGS_MEANT_NUMBER_H_
#define PODSIM_SETTINGS_MEANT_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>

namespace podsim {

// 10000 of "10k" and "10_000", 2000000 of "2M", 1000 of "1000.0". Nothing for
// any other text, or a number that is not exact.
std::optional<std::int64_t> WholeNumberMeant(const std::string& text);

// 30 of "30s", 300 of "5 min", 5400 of "1.5h", 0.02 of "20ms". Nothing for any
// other text.
std::optional<double> SecondsMeant(const std::string& text);

// 0.1 of "10%". Nothing for any other text.
std::optional<double> PartMeant(const std::string& text);

// 2.2 of "$2.2", "2.2 EUR" and "2.2€": with a currency. Nothing for any other
// text.
std::optional<double> MoneyMeant(const std::string& text);

// 1048576 of "1MB", "1 MiB" and "1mb", 1572864 of "1.5M": powers of 1024 up to
// T. Nothing for any other text, or a part of a byte.
std::optional<std::int64_t> BytesMeant(const std::string& text);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_MEANT_NUMBER_H_
