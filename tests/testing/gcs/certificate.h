// A certificate that nobody signed but itself, as of a server that is not to be
// trusted, or by whoever is given it.
#ifndef PODSIM_TESTS_TESTING_GCS_CERTIFICATE_H_
#define PODSIM_TESTS_TESTING_GCS_CERTIFICATE_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace podsim::testing {

class SelfSigned {
 public:
  // For 127.0.0.1, valid from an hour ago for a day.
  SelfSigned();

  // A server of this context shows it.
  bool Give(SSL_CTX& to) const;
  std::string pem() const;

 private:
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
  std::unique_ptr<X509, void (*)(X509*)> certificate_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_GCS_CERTIFICATE_H_
