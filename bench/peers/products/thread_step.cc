#include "thread_step.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace podsim::peers {
namespace {

constexpr int kSamples = 64;  // of a product's result

// Toward zero, which is as good as any other here: the operands only have to
// be exact in bfloat16.
float AsBfloat16(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) &
                              0xFFFF0000U);
}

std::vector<float> RandomMatrix(std::int64_t count, bool bfloat16,
                                std::mt19937_64& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    value = uniform(random);
    if (bfloat16) value = AsBfloat16(value);
  }
  return values;
}

// |got - sum| <= (k + 1) u / (1 - (k + 1) u) * sum |a b| for k products, each
// rounded, added up in float32 in any order (Higham, section 3.1; u = 2^-24);
// twice that leaves room for what flushes denormals. Products of bfloat16 are
// exact and stay below it.
bool IsWrong(const Product& p, const std::vector<float>& a,
             const std::vector<float>& b, std::int64_t i, std::int64_t j,
             float got) {
  double sum = 0;
  double magnitude = 0;
  for (std::int64_t k = 0; k < p.k; ++k) {
    const double left = a[p.a_transposed ? k * p.m + i : i * p.k + k];
    const double right = b[p.b_transposed ? j * p.k + k : k * p.n + j];
    sum += left * right;
    magnitude += std::abs(left * right);
  }
  const double bound = 2 * static_cast<double>(p.k + 1) * 0x1p-24 * magnitude;
  return !(std::abs(got - sum) <= bound);
}

}  // namespace

ThreadStep::ThreadStep(std::int64_t rows, const std::string& dtype,
                       std::uint64_t seed)
    : random_(seed) {
  const bool bfloat16 = dtype == "bfloat16";
  for (const Product& product : StepProducts(rows))
    tasks_.push_back(
        {.product = product,
         .a = RandomMatrix(product.m * product.k, bfloat16, random_),
         .b = RandomMatrix(product.k * product.n, bfloat16, random_),
         .c = std::vector<float>(product.m * product.n),
         .run = {}});
}

void ThreadStep::PrepareWith(const Prepare& prepare) {
  for (Task& task : tasks_)
    task.run =
        prepare(task.product, {task.a.data(), task.b.data(), task.c.data()});
}

void ThreadStep::Run() const {
  for (const Task& task : tasks_) task.run();
}

std::int64_t ThreadStep::CountWrong() {
  std::int64_t wrong = 0;
  for (Task& task : tasks_) {
    for (int sample = 0; sample < kSamples; ++sample) {
      const auto place = static_cast<std::int64_t>(random_() % task.c.size());
      wrong += IsWrong(task.product, task.a, task.b, place / task.product.n,
                       place % task.product.n, task.c[place])
                   ? 1
                   : 0;
    }
    std::ranges::fill(task.c, std::numeric_limits<float>::quiet_NaN());
  }
  return wrong;
}

}  // namespace podsim::peers
