// Units as types and as text: bytes, simulated time, big numbers.
#ifndef PODSIM_BASE_UNITS_H_
#define PODSIM_BASE_UNITS_H_

#include <compare>
#include <cstdint>
#include <string>

namespace podsim {

inline constexpr std::int64_t kKiB = 1024;
inline constexpr std::int64_t kMiB = 1024 * kKiB;
inline constexpr std::int64_t kGiB = 1024 * kMiB;

// A span of simulated pod time, in picoseconds, so that sums are exact and a
// simulation is deterministic. 106 days at most (SimSum holds more). Never
// converts to or from wall time.
class SimTime {
 public:
  constexpr SimTime() = default;
  static constexpr SimTime Picoseconds(std::int64_t ps) { return SimTime(ps); }
  static SimTime Seconds(double seconds);

  constexpr std::int64_t picoseconds() const { return ps_; }
  constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 errs on default <=>
  constexpr auto operator<=>(const SimTime&) const = default;
  constexpr SimTime operator+(SimTime o) const { return SimTime(ps_ + o.ps_); }
  constexpr SimTime operator-(SimTime o) const { return SimTime(ps_ - o.ps_); }
  SimTime& operator+=(SimTime o) {
    ps_ += o.ps_;
    return *this;
  }

 private:
  explicit constexpr SimTime(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

// Exact sums of such spans, of runs of any length.
class SimSum {
 public:
  constexpr SimSum() = default;
  // A span is the sum of one.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr SimSum(SimTime time) : ps_(time.picoseconds()) {}

  constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }

  void Add(SimSum other, std::int64_t count = 1) { ps_ += other.ps_ * count; }
  constexpr SimSum operator+(SimSum o) const {
    SimSum sum;
    sum.ps_ = ps_ + o.ps_;
    return sum;
  }
  constexpr bool operator==(const SimSum&) const = default;

 private:
  __extension__ using Wide = __int128;
  Wide ps_ = 0;
};

// "16.00 GiB", "1.50 MiB", "512 B".
std::string FormatBytes(std::int64_t bytes);
// "1.234 s", "12.300 ms", "45.6 us", always followed by " sim".
std::string FormatSimTime(SimTime time);
// Three digits, or a count: "0.123", "47.2", "12,345".
std::string AmountText(double amount);
// A span, of which a label says that it is simulated: "47.2 us", "1 s",
// "1.5 h", "12,345 h".
std::string SpanText(double seconds);
// "4.2%", "42%".
std::string PercentText(double share);
// 1234567 -> "1,234,567".
std::string FormatCount(std::int64_t count);
// "1 host", "2,048 hosts", "4 processes".
std::string FormatCounted(std::int64_t count, const std::string& thing);

}  // namespace podsim

#endif  // PODSIM_BASE_UNITS_H_
