#include "host/storage/gcs/jwt.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

// An OpenSSL object with the function that frees it.
template <auto kFree>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX_free>>;

absl::StatusOr<Key> ReadKey(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  // No passphrase is asked for.
  const auto refuse = [](char*, int, int, void*) { return 0; };
  Key key(bio == nullptr
              ? nullptr
              : PEM_read_bio_PrivateKey(bio.get(), nullptr, +refuse, nullptr));
  if (key == nullptr || EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA)
    return absl::UnauthenticatedError(
        "private_key is no RSA key in PEM without a passphrase");
  return key;
}

}  // namespace

absl::StatusOr<std::string> SignedJwt(const std::string& key_id,
                                      const std::string& claims,
                                      const std::string& private_key) {
  PODSIM_ASSIGN_OR_RETURN(const Key key, ReadKey(private_key));
  const nlohmann::json header = {
      {"alg", "RS256"}, {"typ", "JWT"}, {"kid", key_id}};
  std::string token = absl::StrCat(absl::WebSafeBase64Escape(header.dump()),
                                   ".", absl::WebSafeBase64Escape(claims));
  const auto* bytes = reinterpret_cast<const unsigned char*>(token.data());
  const Digest digest(EVP_MD_CTX_new());
  std::size_t length = 0;
  std::string signature;
  if (digest == nullptr ||
      EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr,
                         key.get()) != 1 ||
      EVP_DigestSign(digest.get(), nullptr, &length, bytes, token.size()) != 1)
    return absl::UnauthenticatedError("private_key cannot sign");
  signature.resize(length);
  if (EVP_DigestSign(digest.get(),
                     reinterpret_cast<unsigned char*>(signature.data()),
                     &length, bytes, token.size()) != 1)
    return absl::UnauthenticatedError("private_key cannot sign");
  signature.resize(length);
  absl::StrAppend(&token, ".", absl::WebSafeBase64Escape(signature));
  return token;
}

}  // namespace podsim
