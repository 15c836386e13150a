// The gRPC side: status mapping, and the token and the plain-text rule seen
// through a real server on a Unix socket.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "base/rpc/address.h"
#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

TEST(StatusTest, EveryCodeSurvivesTheRoundTrip) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "why");
    const grpc::Status there = ToGrpcStatus(status);
    EXPECT_EQ(static_cast<int>(there.error_code()), code);
    EXPECT_EQ(FromGrpcStatus(there), status);
  }
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  EXPECT_THAT(FromGrpcStatus(grpc::Status::OK), IsOk());
}

TEST(StatusTest, NamesAgreeAndNotOnlyNumbers) {
  EXPECT_EQ(ToGrpcStatus(absl::UnauthenticatedError("")).error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ToGrpcStatus(absl::DataLossError("")).error_code(),
            grpc::StatusCode::DATA_LOSS);
  EXPECT_EQ(ToGrpcStatus(absl::AbortedError("")).error_code(),
            grpc::StatusCode::ABORTED);
}

TEST(StatusTest, UnknownCodesBecomeUnknown) {
  const grpc::Status odd(static_cast<grpc::StatusCode>(20), "odd");
  EXPECT_THAT(FromGrpcStatus(odd),
              StatusIs(absl::StatusCode::kUnknown, HasSubstr("odd")));
}

TEST(CredentialsTest, NetworkAddressesNeedTheOverride) {
  const RpcSecurity strict{.token = "t"};
  const RpcSecurity open{.token = "t", .allow_plaintext_network = true};
  EXPECT_THAT(OpenChannel("10.0.0.1:1", strict),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("--allow_plaintext_network")));
  EXPECT_THAT(
      ServerCredentialsFor("0.0.0.0:1", strict),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("0.0.0.0:1")));
  EXPECT_THAT(OpenChannel("10.0.0.1:1", open), IsOk());
  EXPECT_THAT(ServerCredentialsFor("0.0.0.0:1", open), IsOk());
}

grpc::ByteBuffer EmptyMessage() {
  const grpc::Slice nothing("");
  return grpc::ByteBuffer(&nothing, 1);
}

// Answers every call, whatever its name, with the outcome of CheckToken.
class TokenServer : public grpc::CallbackGenericService {
 public:
  explicit TokenServer(RpcSecurity security) : security_(std::move(security)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    struct Reactor : grpc::ServerGenericBidiReactor {
      void OnDone() override { delete this; }
      grpc::ByteBuffer reply = EmptyMessage();
    };
    auto* reactor = new Reactor;
    const absl::Status status = CheckToken(security_, *context);
    if (status.ok()) {
      reactor->StartWriteAndFinish(&reactor->reply, {}, grpc::Status::OK);
    } else {
      reactor->Finish(ToGrpcStatus(status));
    }
    return reactor;
  }

 private:
  const RpcSecurity security_;
};

class TokenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // As a directory may be called: gRPC must not decode it.
    address_ = "unix:" + dir_.file("s%41 #?");
    grpc::ServerBuilder builder;
    ASSERT_OK_AND_ASSIGN(auto credentials,
                         ServerCredentialsFor(address_, security_));
    ASSERT_OK_AND_ASSIGN(const Address address, ParseAddress(address_));
    builder.AddListeningPort(address.Target(), credentials);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }

  absl::Status Call(grpc::ClientContext& context) {
    auto channel = OpenChannel(address_, security_);
    if (!channel.ok()) return channel.status();
    SetDeadline(context, absl::Seconds(5));
    grpc::GenericStub stub(*channel);
    grpc::ByteBuffer request = EmptyMessage();
    grpc::ByteBuffer response;
    std::promise<grpc::Status> done;
    stub.UnaryCall(&context, "/any/Method", {}, &request, &response,
                   [&done](grpc::Status s) { done.set_value(std::move(s)); });
    return FromGrpcStatus(done.get_future().get());
  }

  const RpcSecurity security_{.token = "right"};
  TempDir dir_;
  std::string address_;
  TokenServer service_{security_};
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(TokenTest, MissingIsRefused) {
  grpc::ClientContext context;
  EXPECT_THAT(Call(context), StatusIs(absl::StatusCode::kUnauthenticated,
                                      HasSubstr("PODSIM_TOKEN")));
}

TEST_F(TokenTest, WrongIsRefused) {
  grpc::ClientContext context;
  AttachToken({.token = "wrong"}, context);
  EXPECT_THAT(Call(context), StatusIs(absl::StatusCode::kUnauthenticated,
                                      HasSubstr("another pod")));
}

TEST_F(TokenTest, TwoAreRefused) {
  grpc::ClientContext context;
  AttachToken(security_, context);
  AttachToken(security_, context);
  EXPECT_THAT(Call(context), StatusIs(absl::StatusCode::kUnauthenticated,
                                      HasSubstr("another pod")));
}

TEST_F(TokenTest, TheRightOnePasses) {
  grpc::ClientContext context;
  AttachToken(security_, context);
  EXPECT_THAT(Call(context), IsOk());
}

}  // namespace
}  // namespace podsim
