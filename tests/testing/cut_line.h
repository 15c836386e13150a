// A line that can be cut in silence: relays TCP connections to an address until
// Cut, and from then on carries nothing, while both ends still see an open
// connection. What a switch that dies, or a firewall, looks like from a host.
#ifndef PODSIM_TESTS_TESTING_CUT_LINE_H_
#define PODSIM_TESTS_TESTING_CUT_LINE_H_

#include <atomic>
#include <string>
#include <thread>

namespace podsim::testing {

class CutLine {
 public:
  // Relays to the Unix socket at `target`, which may come up later.
  explicit CutLine(std::string target);
  ~CutLine();
  CutLine(const CutLine&) = delete;
  CutLine& operator=(const CutLine&) = delete;

  // "127.0.0.1:port": where to call.
  const std::string& address() const { return address_; }
  void Cut() { cut_ = true; }
  // Bytes carried so far.
  long carried() const { return carried_; }

 private:
  void Relay(const std::stop_token& stop);

  const std::string target_;
  int listener_ = -1;
  std::string address_;
  std::atomic<bool> cut_ = false;
  std::atomic<long> carried_ = 0;
  std::jthread thread_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_CUT_LINE_H_
