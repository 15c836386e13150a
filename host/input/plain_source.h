// A file as it lies in its store, from front to back or from a place in it.
#ifndef PODSIM_HOST_INPUT_PLAIN_SOURCE_H_
#define PODSIM_HOST_INPUT_PLAIN_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/input/byte_source.h"

namespace podsim {

class PlainSource final : public ByteSource {
 public:
  // The bytes [begin, file.bytes). Keeps `read_bytes` of them, or as many as
  // are wanted at a time; where they lie far apart what is wanted alone.
  // `store` is borrowed.
  PlainSource(const ShardFile& file, ObjectStore& store,
              std::int64_t read_bytes, std::int64_t begin = 0);

  absl::StatusOr<std::string_view> Peek(std::size_t count) override;
  // Those that are kept; none are: the next `read_bytes`. Empty: the end.
  absl::StatusOr<std::string_view> Some();
  absl::Status Skip(std::int64_t count) override;
  std::int64_t offset() const override { return offset_; }
  std::int64_t limit() const override { return file_.bytes; }

 private:
  std::int64_t end() const {
    return begin_ + static_cast<std::int64_t>(buffer_.size());
  }

  const ShardFile file_;
  ObjectStore& store_;
  const std::int64_t read_bytes_;
  std::string buffer_;
  std::int64_t begin_;  // of buffer_
  std::int64_t offset_;
  bool far_apart_ = false;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_PLAIN_SOURCE_H_
