#include "tests/testing/gcs/liar.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace podsim::testing {
namespace {

// What is no listing, or has fewer items, is true.
void LoseItems(int lost, HttpResponse& answer) {
  auto page = nlohmann::json::parse(answer.body, /*cb=*/nullptr,
                                    /*allow_exceptions=*/false);
  if (!page.is_object() || !page.contains("items")) return;
  auto& items = page["items"];
  for (; lost > 0 && !items.empty(); --lost) items.erase(items.size() - 1);
  answer.body = page.dump();
}

// Answers request `at`, counted from 0, with a lie.
class Liar final : public Http {
 public:
  Liar(std::unique_ptr<Http> base, const Lie& lie, int at, int* made)
      : base_(std::move(base)), lie_(lie), at_(at), made_(made) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    const bool lies = (*made_)++ == at_;
    if (lies && lie_.lost == 0)
      return HttpResponse{.status = lie_.status, .body = lie_.body};
    absl::StatusOr<HttpResponse> answer = base_->Send(request);
    if (lies && answer.ok()) LoseItems(lie_.lost, *answer);
    return answer;
  }

 private:
  const std::unique_ptr<Http> base_;
  const Lie lie_;
  const int at_;
  int* const made_;
};

}  // namespace

const std::vector<Lie>& Lies() {
  static const std::vector<Lie> lies = {
      {"a proxy's page", 404, "<html><body>Not found</body></html>"},
      {"nothing", 404, ""},
      {"the API's words", 404,
       R"({"error": {"code": 404, "message": "Not Found"}})"},
      {"no content", 204, ""},
      {"not modified", 304, ""},
      {"a condition", 412, R"({"error": {"code": 412, "message": "no"}})"},
      {"an empty object", 200, "{}"},
      {"a listing without its last item", 200, "", 1},
      {"a listing without its last three", 200, "", 3},
      {"a listing without its last six", 200, "", 6},
      {"a listing without its last nine", 200, "", 9},
      {"a listing without its last twenty", 200, "", 20},
  };
  return lies;
}

std::unique_ptr<Http> NewLiar(std::unique_ptr<Http> base, const Lie& lie,
                              int at, int* made) {
  return std::make_unique<Liar>(std::move(base), lie, at, made);
}

}  // namespace podsim::testing
