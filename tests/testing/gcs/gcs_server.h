// A GcsDouble behind a socket of this machine, as an emulator is.
#ifndef PODSIM_TESTS_TESTING_GCS_GCS_SERVER_H_
#define PODSIM_TESTS_TESTING_GCS_GCS_SERVER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "tests/testing/gcs/gcs_double.h"

namespace podsim::testing {

class GcsServer {
 public:
  enum class Wire { kPlain, kSelfSigned };  // http, or https
  // On a free port of 127.0.0.1, or `port`; serves until it is destroyed.
  explicit GcsServer(GcsDoubleOptions options = {}, int port = 0,
                     Wire wire = Wire::kPlain);
  ~GcsServer();
  GcsServer(const GcsServer&) = delete;
  GcsServer& operator=(const GcsServer&) = delete;

  std::string endpoint() const;     // "http://127.0.0.1:PORT", or https
  std::string certificate() const;  // PEM, of https
  GcsDouble& objects();

  // Of the answers to come, so many are cut off after half their body.
  void CutOff(int answers);
  // So many end without a byte: the connection is closed.
  void HangUp(int answers);
  int requests() const;
  int handshakes() const;  // begun, of https
  // From now on it answers; `honest` asks the double. Empty: the double does.
  // Called from several threads.
  using Honest = std::function<HttpResponse()>;
  using Lie =
      std::function<HttpResponse(const HttpRequest&, const Honest& honest)>;
  void set_lie(Lie lie);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_GCS_GCS_SERVER_H_
