#include "tests/testing/gcs/gcs_server.h"

#include <httplib.h>

#include <cstddef>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "tests/testing/gcs/certificate.h"

namespace podsim::testing {
namespace {

HttpRequest RequestOf(const httplib::Request& from) {
  HttpRequest request{
      .method = from.method, .url = from.target, .body = from.body};
  for (const auto& [name, value] : from.headers)
    request.headers.push_back(absl::StrCat(name, ": ", value));
  return request;
}

bool TakeOne(std::atomic<int>& left) {
  int now = left.load();
  while (now > 0)
    if (left.compare_exchange_weak(now, now - 1)) return true;
  return false;
}

}  // namespace

struct GcsServer::Impl {
  Impl(GcsDoubleOptions with, bool is_https) : options(std::move(with)) {
    if (!is_https) {
      server = std::make_unique<httplib::Server>();
      return;
    }
    certificate = std::make_unique<SelfSigned>();
    server = std::make_unique<httplib::SSLServer>([this](SSL_CTX& context) {
      SSL_CTX_set_client_hello_cb(&context, &CountHandshake, &handshakes);
      return certificate->Give(context);
    });
  }

  static int CountHandshake(SSL*, int*, void* handshakes) {
    ++*static_cast<std::atomic<int>*>(handshakes);
    return SSL_CLIENT_HELLO_SUCCESS;
  }

  void Serve(const httplib::Request& from, httplib::Response& to) {
    ++requests;
    // The double has cut the body to the range: httplib is not to do so again.
    const_cast<httplib::Request&>(from).ranges.clear();
    const HttpRequest request = RequestOf(from);
    const auto honest = [&] { return objects->Handle(request); };
    const Lie now = TheLie();
    HttpResponse answer = now ? now(request, honest) : honest();
    to.status = answer.status;
    std::string type;
    for (const auto& [name, value] : answer.headers) {
      if (name == "content-type") {
        type = value;
      } else {
        to.set_header(name, value);
      }
    }
    const bool hang_up = TakeOne(hang_ups);
    if (hang_up || TakeOne(cut_offs)) {
      Break(std::move(answer.body), type, hang_up, to);
    } else if (answer.body.empty()) {
      to.set_header("Content-Length", "0");
    } else {
      to.set_content(answer.body, type);
    }
  }

  // Half of the body, or none of it, and then an end.
  static void Break(std::string body, const std::string& type, bool hang_up,
                    httplib::Response& to) {
    const std::size_t size = std::max<std::size_t>(body.size(), 2);
    body.resize(hang_up ? 0 : body.size() / 2);
    to.set_content_provider(
        size, type.empty() ? "text/plain" : type.c_str(),
        [body = std::move(body)](std::size_t offset, std::size_t,
                                 httplib::DataSink& sink) {
          if (offset >= body.size()) return false;
          sink.write(body.data() + offset, body.size() - offset);
          return true;
        });
  }

  Lie TheLie() {
    MutexLock lock(mutex);
    return lie;
  }

  GcsDoubleOptions options;
  Mutex mutex;
  Lie lie PODSIM_GUARDED_BY(mutex);
  std::unique_ptr<GcsDouble> objects;
  std::atomic<int> cut_offs{0};
  std::atomic<int> hang_ups{0};
  std::atomic<int> requests{0};
  std::atomic<int> handshakes{0};
  std::unique_ptr<SelfSigned> certificate;
  std::unique_ptr<httplib::Server> server;
  std::jthread thread;
};

GcsServer::GcsServer(GcsDoubleOptions options, int port, Wire wire)
    : impl_(std::make_unique<Impl>(std::move(options),
                                   wire == Wire::kSelfSigned)) {
  Impl& impl = *impl_;
  // Of the socket that listens, so before there is one.
  impl.server->set_tcp_nodelay(true);
  if (port == 0) {
    port = impl.server->bind_to_any_port("127.0.0.1");
  } else if (!impl.server->bind_to_port("127.0.0.1", port)) {
    port = -1;
  }
  PODSIM_CHECK(port > 0);
  impl.options.endpoint = absl::StrCat(wire == Wire::kPlain ? "http" : "https",
                                       "://127.0.0.1:", port);
  impl.objects = std::make_unique<GcsDouble>(impl.options);
  const auto serve = [&impl](const httplib::Request& from,
                             httplib::Response& to) { impl.Serve(from, to); };
  impl.server->Get(".*", serve);
  impl.server->Post(".*", serve);
  impl.server->Put(".*", serve);
  impl.server->Delete(".*", serve);
  // A connection that is kept has a thread to itself: enough for the pods of a
  // test, or their calls wait for one another.
  impl.server->new_task_queue = [] { return new httplib::ThreadPool(128); };
  impl.server->set_keep_alive_max_count(1'000'000);
  impl.thread = std::jthread([&impl] { impl.server->listen_after_bind(); });
}

GcsServer::~GcsServer() {
  // Stopping takes effect only once the loop runs.
  while (!impl_->server->is_running()) std::this_thread::yield();
  impl_->server->stop();
}

std::string GcsServer::endpoint() const { return impl_->options.endpoint; }
std::string GcsServer::certificate() const { return impl_->certificate->pem(); }
GcsDouble& GcsServer::objects() { return *impl_->objects; }
void GcsServer::CutOff(int answers) { impl_->cut_offs = answers; }
void GcsServer::HangUp(int answers) { impl_->hang_ups = answers; }
int GcsServer::requests() const { return impl_->requests; }
int GcsServer::handshakes() const { return impl_->handshakes; }
void GcsServer::set_lie(Lie lie) {
  MutexLock lock(impl_->mutex);
  impl_->lie = std::move(lie);
}

}  // namespace podsim::testing
