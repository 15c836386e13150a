#include "runtime/launch/compose_file.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace podsim {
namespace {

// {SLICE}, {N}, {HOSTS} and {NAMES} are filled in.
constexpr char kHead[] =
    R"(# A {SLICE} pod: a coordinator and {HOSTS}, one container each.
# This file is what `pod_launch --print_compose {SLICE}` prints.
#
#   export PODSIM_TOKEN=$(openssl rand -hex 16)
#   docker compose -f docker/{FILE} up        (or docker-compose 1.29)
#
# The image is built from the sources above this file's directory; if it lies
# elsewhere than in docker/, say first where they are: export PODSIM_SOURCE=DIR
#
# Each host learns who it is from the variables that TPU VMs set. The pod's
# network is private to these containers; traffic on it is plain text, which has
# to be spelled out, and every call carries the token.

x-container: &container
  image: podsim
  init: true
  user: "10001:10001"
  read_only: true
  tmpfs: [/tmp]
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]

x-pod-environment: &pod-environment
  PODSIM_TOKEN: "${PODSIM_TOKEN:?give this pod a secret of its own, such as 32 random hex digits: export PODSIM_TOKEN=...}"
  PODSIM_ALLOW_PLAINTEXT_NETWORK: "true"

x-host-environment: &host-environment
  <<: *pod-environment
  PODSIM_COORDINATOR: coordinator:8476
  PODSIM_ICI_LISTEN: 0.0.0.0:8471
  TPU_ACCELERATOR_TYPE: {SLICE}
  TPU_WORKER_HOSTNAMES: {NAMES}

# Healthy: it listens for other hosts.
x-host: &host
  <<: *container
  command: [pod_host]
  depends_on:
    coordinator: {condition: service_healthy}
  healthcheck:
    test: [CMD, bash, -c, ": </dev/tcp/127.0.0.1/8471"]
    start_period: 60s

services:
  # Healthy: it listens for hosts, which start then.
  coordinator:
    <<: *container
    build:
      context: "${PODSIM_SOURCE:-..}"
      dockerfile: docker/Dockerfile
    command:
      - pod_launch
      - --topology={SLICE}
      - --processes={N}
      - --model=mlp
      - --external_hosts
      - --listen=0.0.0.0:8476
    environment:
      <<: *pod-environment
    healthcheck:
      test: [CMD, bash, -c, ": </dev/tcp/127.0.0.1/8476"]
      interval: 2s
      retries: 30
)";

constexpr char kHost[] = R"(  host-{I}:
    <<: *host
    environment: {<<: *host-environment, TPU_WORKER_ID: "{I}"}
)";

constexpr char kOwnFile[] = "v3-32";  // has docker/compose.yaml

}  // namespace

std::string ComposeFile(const Slice& slice) {
  std::vector<std::string> names;
  std::string hosts;
  for (int i = 0; i < slice.hosts; ++i) {
    names.push_back(absl::StrCat("host-", i));
    absl::StrAppend(&hosts,
                    absl::StrReplaceAll(kHost, {{"{I}", absl::StrCat(i)}}));
  }
  const std::string head = absl::StrReplaceAll(
      kHead,
      {{"{SLICE}", slice.name},
       {"{N}", absl::StrCat(slice.hosts)},
       {"{FILE}", slice.name == kOwnFile ? "compose.yaml"
                                         : absl::StrCat(slice.name, ".yaml")},
       {"{HOSTS}",
        slice.hosts == 1 ? "a host" : absl::StrCat(slice.hosts, " hosts")},
       {"{NAMES}", absl::StrJoin(names, ",")}});
  return absl::StrCat(head, hosts);
}

}  // namespace podsim
