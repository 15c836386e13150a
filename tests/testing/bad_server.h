// A server of this machine that is no use to anybody, in one of the ways in
// which servers are not.
#ifndef PODSIM_TESTS_TESTING_BAD_SERVER_H_
#define PODSIM_TESTS_TESTING_BAD_SERVER_H_

#include <string>
#include <thread>
#include <vector>

namespace podsim::testing {

class BadServer {
 public:
  enum class Way {
    kClosed,  // nobody listens at its port
    kSilent,  // connections come about, and nothing on them
    kBusy,    // 503, whatever is asked
    kPage,    // 200 with a page of HTML
    kDrips,   // 200 with 2 KB/s of a body of 1 MiB
  };
  explicit BadServer(Way way);
  ~BadServer();
  BadServer(const BadServer&) = delete;
  BadServer& operator=(const BadServer&) = delete;

  const std::string& address() const { return address_; }  // "127.0.0.1:PORT"
  std::string endpoint() const { return "http://" + address_; }

 private:
  void Serve(const std::stop_token& stop);

  const Way way_;
  int socket_ = -1;
  std::string address_;
  std::jthread thread_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_BAD_SERVER_H_
