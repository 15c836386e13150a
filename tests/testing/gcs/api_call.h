// A request to Cloud Storage's JSON API, taken apart, and what it asks for.
#ifndef PODSIM_TESTS_TESTING_GCS_API_CALL_H_
#define PODSIM_TESTS_TESTING_GCS_API_CALL_H_

#include <map>
#include <string>
#include <vector>

#include "host/storage/http/http.h"

namespace podsim::testing {

// `request` is borrowed.
struct ApiCall {
  explicit ApiCall(const HttpRequest& request);

  // Empty: there is none.
  std::string Query(const std::string& name) const;
  std::string Header(const std::string& name) const;

  const HttpRequest& request;
  std::vector<std::string> path;  // /storage/v1/b/B/o/O, without escapes
  std::map<std::string, std::string> query;
};

struct Asked {
  // bucket: where it is      listing: the first page of all below a prefix
  // page: a further one      folder: the same of one folder's names
  // look: an object's size, or whether anything has a prefix
  // read, write, copy, delete: of an object; piece: of an upload that goes on
  std::string what;
  std::string object;  // the prefix of a listing; the new one of a copy
};
Asked WhatIsAsked(const ApiCall& call);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_GCS_API_CALL_H_
