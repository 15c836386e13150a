#include "tests/testing/gcs/certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/status.h"

namespace podsim::testing {
namespace {

constexpr long kHour = 60L * 60;

void AddExtension(X509& to, int kind, const char* value) {
  X509_EXTENSION* const extension =
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
  PODSIM_CHECK(extension != nullptr && X509_add_ext(&to, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

}  // namespace

SelfSigned::SelfSigned()
    : key_(EVP_EC_gen("P-256"), &EVP_PKEY_free),
      certificate_(X509_new(), &X509_free) {
  PODSIM_CHECK(key_ != nullptr && certificate_ != nullptr);
  X509& made = *certificate_;
  X509_set_version(&made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(&made), 1);
  X509_gmtime_adj(X509_getm_notBefore(&made), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(&made), 24 * kHour);
  X509_set_pubkey(&made, key_.get());
  X509_NAME* const name = X509_get_subject_name(&made);
  X509_NAME_add_entry_by_txt(
      name, "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1, 0);
  X509_set_issuer_name(&made, name);
  AddExtension(made, NID_subject_alt_name, "IP:127.0.0.1");
  AddExtension(made, NID_basic_constraints, "critical,CA:TRUE");
  PODSIM_CHECK(X509_sign(&made, key_.get(), EVP_sha256()) > 0);
}

bool SelfSigned::Give(SSL_CTX& to) const {
  return SSL_CTX_use_certificate(&to, certificate_.get()) == 1 &&
         SSL_CTX_use_PrivateKey(&to, key_.get()) == 1;
}

std::string SelfSigned::pem() const {
  const std::unique_ptr<BIO, int (*)(BIO*)> file(BIO_new(BIO_s_mem()),
                                                 &BIO_free);
  PODSIM_CHECK(PEM_write_bio_X509(file.get(), certificate_.get()) == 1);
  const char* bytes = nullptr;
  const long size = BIO_get_mem_data(file.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace podsim::testing
