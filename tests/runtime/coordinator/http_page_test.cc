// A page for programs that scrape: what is answered, and to how many.
#include "runtime/coordinator/http_page.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Patient: a test's machine may be busy with other things.
HttpPageOptions PageOptions(const std::string& token = "") {
  return {.address = {.host = "127.0.0.1"},
          .type = "text/plain",
          .make = [] { return std::string("loss 0.5\n"); },
          .patience = std::chrono::seconds(120),
          .token = token};
}

TEST(HttpAnswerTest, ThePageIsAnswered) {
  EXPECT_EQ(HttpAnswer("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
                       PageOptions()),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "
            "9\r\nConnection: close\r\n\r\nloss 0.5\n");
  EXPECT_THAT(HttpAnswer("GET /metrics?name=x HTTP/1.0\r\n\r\n", PageOptions()),
              StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpAnswerTest, AllElseIsRefused) {
  const auto answer = [](const std::string& request) {
    return HttpAnswer(request + "\r\n\r\n", PageOptions());
  };
  EXPECT_THAT(answer("GET / HTTP/1.1"),
              AllOf(StartsWith("HTTP/1.1 404 "), EndsWith("is /metrics\n")));
  EXPECT_THAT(answer("POST /metrics HTTP/1.1"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET\r\n")));
  EXPECT_THAT(answer("PRI * HTTP/2.0"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer(""), StartsWith("HTTP/1.1 400 "));
}

TEST(HttpAnswerTest, OnlyThisMachinesNamesAreAnswered) {
  const auto answer = [](const std::string& headers) {
    return HttpAnswer("GET /metrics HTTP/1.1\r\n" + headers + "\r\n\r\n",
                      PageOptions());
  };
  for (const char* host :
       {"localhost", "LocalHost:9400", "localhost.", "127.0.0.1",
        "127.0.0.1:9400", "127.1.2.3", "[::1]", "[::1]:9400"})
    EXPECT_THAT(answer(std::string("host: ") + host),
                StartsWith("HTTP/1.1 200 "))
        << host;
  for (const char* host :
       {"evil.example", "evil.example:9400", "localhost.evil.example",
        "127.0.0.1.evil.example", "10.0.0.1", "0.0.0.0", "[::2]:9400", "[",
        "[]", "", ":9400", ".", "localhost@evil.example"})
    EXPECT_THAT(answer(std::string("Host: ") + host),
                AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("127.0.0.1"),
                      Not(HasSubstr("loss"))))
        << host;
  EXPECT_THAT(answer("Host: localhost\r\nHost: evil.example"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer("X: y"),
              AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("names no host")));
  // One line, whatever it was given.
  const std::string refusal = answer("Host: a\nb\x1b[2J");
  const std::string body = refusal.substr(refusal.find("\r\n\r\n") + 4);
  EXPECT_EQ(body.find('\n'), body.size() - 1);
  EXPECT_EQ(body.find('\x1b'), std::string::npos);
}

TEST(HttpAnswerTest, TheAddressThatWasAskedForIsAName) {
  HttpPageOptions options = PageOptions();
  options.address.host = "Box.example";
  EXPECT_THAT(
      HttpAnswer("GET /metrics HTTP/1.1\r\nHost: box.example:9400\r\n\r\n",
                 options),
      StartsWith("HTTP/1.1 200 "));
}

// A browser has none to say; names of this machine are many.
TEST(HttpAnswerTest, WithATokenAnyNameIsAnswered) {
  EXPECT_THAT(HttpAnswer("GET /metrics HTTP/1.1\r\nHost: box.example\r\n"
                         "Authorization: Bearer 0123456789abcdef\r\n\r\n",
                         PageOptions("0123456789abcdef")),
              StartsWith("HTTP/1.1 200 "));
}

TEST(HttpAnswerTest, BeyondTheMachineATokenIsWanted) {
  const auto answer = [](const std::string& header) {
    return HttpAnswer("GET /metrics HTTP/1.1\r\n" + header + "\r\n\r\n",
                      PageOptions("0123456789abcdef"));
  };
  EXPECT_THAT(answer("Host: x"),
              AllOf(StartsWith("HTTP/1.1 401 "),
                    HasSubstr("WWW-Authenticate: Bearer\r\n")));
  EXPECT_THAT(answer("Authorization: Bearer guess"),
              StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(answer("authorization:bearer  0123456789abcdef "),
              StartsWith("HTTP/1.1 200 "));
}

UniqueFd CallPage(int port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
  return fd;
}

void Say(const UniqueFd& fd, const std::string& text) {
  send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

// To the end of the connection.
std::string Heard(const UniqueFd& fd) {
  std::string text;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = recv(fd.get(), piece.data(), piece.size(), 0);
    if (count <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

constexpr char kRequest[] = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

TEST(HttpPageTest, IsServedInPiecesAndManyTimes) {
  ASSERT_OK_AND_ASSIGN(const auto page, HttpPage::Serve(PageOptions()));
  EXPECT_GT(page->port(), 0);
  for (int call = 0; call < 100; ++call) {
    const UniqueFd fd = CallPage(page->port());
    Say(fd, "GET /metr");
    Say(fd, "ics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(Heard(fd), EndsWith("\r\n\r\nloss 0.5\n"));
  }
}

TEST(HttpPageTest, ALargePageArrivesWhole) {
  HttpPageOptions options = PageOptions();
  options.make = [] { return std::string(8 << 20, 'x'); };
  ASSERT_OK_AND_ASSIGN(const auto page, HttpPage::Serve(std::move(options)));
  const UniqueFd fd = CallPage(page->port());
  Say(fd, kRequest);
  EXPECT_GT(Heard(fd).size(), 8u << 20);
}

TEST(HttpPageTest, ARequestThatNeverEndsIsRefused) {
  ASSERT_OK_AND_ASSIGN(const auto page, HttpPage::Serve(PageOptions()));
  const UniqueFd fd = CallPage(page->port());
  Say(fd, "GET /metrics HTTP/1.1\r\nX: " + std::string(8 << 10, 'x'));
  EXPECT_THAT(Heard(fd), StartsWith("HTTP/1.1 431 "));
}

// Who says nothing has so long; then there is room again.
TEST(HttpPageTest, ThoseWhoSayNothingAreHungUpOn) {
  HttpPageOptions options = PageOptions();
  options.patience = std::chrono::seconds(1);
  ASSERT_OK_AND_ASSIGN(const auto page, HttpPage::Serve(std::move(options)));
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 3 * kMostPageReaders; ++i)
    silent.push_back(CallPage(page->port()));
  for (const UniqueFd& fd : silent) EXPECT_EQ(Heard(fd), "");
  // On a busy machine a second passes before the request is read.
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  std::string heard;
  while (heard.empty() && std::chrono::steady_clock::now() < until) {
    const UniqueFd fd = CallPage(page->port());
    Say(fd, kRequest);
    heard = Heard(fd);
  }
  EXPECT_THAT(heard, HasSubstr("loss"));
}

TEST(HttpPageTest, ATakenPortIsRefused) {
  ASSERT_OK_AND_ASSIGN(const auto page, HttpPage::Serve(PageOptions()));
  HttpPageOptions options = PageOptions();
  options.address.port = page->port();
  EXPECT_THAT(HttpPage::Serve(std::move(options)),
              testing::StatusIs(absl::StatusCode::kUnavailable,
                                HasSubstr("another program listens there")));
}

}  // namespace
}  // namespace podsim
