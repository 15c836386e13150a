#include "tests/interconnect/transport/grpc/grpc_group.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {

void Group::Add(const std::string& address, int first_host, int host_count,
                const RpcSecurity& security, absl::Duration linger) {
  const int process = static_cast<int>(processes.size());
  auto transport = GrpcTransport::Start({.process = process,
                                         .address = address,
                                         .security = security,
                                         .linger = linger});
  ASSERT_THAT(transport, IsOk());
  processes.push_back({.process = process,
                       .address = (*transport)->address(),
                       .first_host = first_host,
                       .host_count = host_count});
  transports.push_back(*std::move(transport));
}

std::vector<absl::Status> Group::Connect(const std::vector<std::uint32_t>& of,
                                         absl::Duration timeout,
                                         bool share_memory) {
  std::vector<absl::Status> results(transports.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < transports.size(); ++i) {
    threads.emplace_back([this, i, &of, timeout, share_memory, &results] {
      results[i] =
          transports[i]->Connect(processes, of[i], timeout, share_memory);
    });
  }
  threads.clear();
  return results;
}

TransportKind OverGrpc(Line line, absl::Duration linger) {
  const std::string name = line == Line::kTcp          ? "tcp"
                           : line == Line::kUnixSocket ? "unix_socket"
                                                       : "shared_memory";
  return {name, [line, linger](const std::vector<std::vector<int>>& processes) {
            // The sockets' names go with the directory, the streams stay.
            const TempDir dir;
            Group group;
            for (const auto& hosts : processes) {
              group.Add(line == Line::kTcp
                            ? "127.0.0.1:0"
                            : absl::StrCat("unix:", dir.path(), "/", hosts[0]),
                        hosts[0], static_cast<int>(hosts.size()), kSecurity,
                        linger);
            }
            for (const auto& status : group.Connect(
                     std::vector<std::uint32_t>(processes.size(), kGeneration),
                     kTimeout, line == Line::kSharedMemory)) {
              EXPECT_THAT(status, IsOk());
            }
            Transports transports;
            for (auto& transport : group.transports) {
              transports.push_back(std::move(transport));
            }
            return transports;
          }};
}

}  // namespace podsim::testing
