#include "host/process/trace_part.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using testing::IsOk;

JobPlan TwoProcesses() {
  JobPlan plan;
  plan.mutable_bits()->set_hosts(4);
  plan.mutable_bits()->set_cores_per_host(8);
  plan.mutable_spec()->set_processes(2);
  plan.add_first_host(0);
  plan.add_first_host(2);
  return plan;
}

std::int64_t FilesIn(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}

TracePart Part() {
  ClockOffset offset;
  offset.Add({.asked = 100, .heard = 205, .answered = 206, .back = 111});
  return TracePartOf(
      TwoProcesses(), {.process = 1, .generation = 3}, offset,
      {.spans = {{.kind = SpanKind::kReceive,
                  .host = 3,
                  .peer = 2,
                  .step = 20,
                  .begin = 1'000,
                  .end = 1'070,
                  .bytes = 1024,
                  .flow = 99,
                  .name = "chunk 5"},
                 {.kind = SpanKind::kCompute, .host = 2, .core = 4, .cores = 4},
                 {.kind = SpanKind::kCheckpointWrite, .host = 2}},
       .dropped = 7});
}

TEST(TracePartOf, SaysWhoseItIsAndHowFarItsClockIsOff) {
  const TracePart part = Part();
  EXPECT_EQ(part.process(), 1);
  EXPECT_EQ(part.first_host(), 2);
  EXPECT_EQ(part.hosts(), 2);
  EXPECT_EQ(part.cores_per_host(), 8);
  EXPECT_EQ(part.generation(), 3);
  EXPECT_EQ(part.offset_ns(), 100);
  EXPECT_EQ(part.uncertainty_ns(), 5);
  EXPECT_EQ(part.round_trips(), 1);
  EXPECT_EQ(part.dropped(), 7);
}

TEST(TracePartOf, HasEverythingOfASpan) {
  const TracePart part = Part();
  ASSERT_EQ(part.spans_size(), 3);
  const TraceSpan& received = part.spans(0);
  EXPECT_EQ(received.kind(), TraceSpan::RECEIVE);
  EXPECT_EQ(received.host(), 3);
  EXPECT_EQ(received.hosts(), 1);
  EXPECT_EQ(received.peer(), 2);
  EXPECT_EQ(received.step(), 20);
  EXPECT_EQ(received.begin(), 1'000);
  EXPECT_EQ(received.end(), 1'070);
  EXPECT_EQ(received.bytes(), 1024);
  EXPECT_EQ(received.flow(), 99);
  EXPECT_EQ(received.name(), "chunk 5");
  EXPECT_EQ(part.spans(1).kind(), TraceSpan::COMPUTE);
  EXPECT_EQ(part.spans(2).kind(), TraceSpan::CHECKPOINT_WRITE);
  EXPECT_EQ(part.spans(1).core(), 4);
  EXPECT_EQ(part.spans(1).cores(), 4);
}

TEST(WriteTracePart, IsReadBack) {
  const testing::TempDir dir;
  const std::string path = dir.path() + "/part";
  ASSERT_THAT(WriteTracePart(path, Part()), IsOk());
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  TracePart read;
  ASSERT_TRUE(read.ParseFromString(bytes));
  EXPECT_EQ(read.SerializeAsString(), Part().SerializeAsString());
  EXPECT_FALSE(WriteTracePart(dir.path() + "/none/part", Part()).ok());
}

// Whoever is killed in the middle of it has written none.
TEST(WriteTracePart, IsThereOnlyWhenItIsWhole) {
  const testing::TempDir dir;
  const std::string path = dir.file("part");
  TracePart part = Part();
  part.mutable_spans(0)->set_name(std::string(3 << 20, 'x'));
  int pieces = 0;
  ASSERT_THAT(WriteTracePart(path, part,
                             [&] {
                               ++pieces;
                               EXPECT_FALSE(std::filesystem::exists(path));
                             }),
              IsOk());
  EXPECT_GT(pieces, 3) << "whoever watches sees that it gets on";
  EXPECT_EQ(std::filesystem::file_size(path), part.ByteSizeLong());
  EXPECT_EQ(FilesIn(dir.path()), 1) << "the other name is gone";
}

TEST(WriteTracePart, ThatFailsLeavesNothing) {
  const testing::TempDir dir;
  const std::string path = dir.file("part");
  std::filesystem::create_directories(path + "/taken");
  EXPECT_FALSE(WriteTracePart(path, Part()).ok());
  EXPECT_EQ(FilesIn(dir.path()), 1);
}

TEST(TracePartWriter, PiecesAreOnePart) {
  const testing::TempDir dir;
  const std::string path = TracePartFile(dir.path(), {1, 3});
  EXPECT_EQ(path, dir.path() + "/trace-3-1");
  {
    ASSERT_OK_AND_ASSIGN(const auto writer, TracePartWriter::Open(path));
    ASSERT_THAT(writer->Append(Part()), IsOk());
    ASSERT_THAT(writer->Append(Part()), IsOk());
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_THAT(writer->Finish(), IsOk());
  }
  std::ifstream file(path, std::ios::binary);
  TracePart read;
  ASSERT_TRUE(read.ParseFromIstream(&file));
  EXPECT_EQ(read.spans_size(), 2 * Part().spans_size());
  EXPECT_EQ(read.process(), 1);
  EXPECT_EQ(FilesIn(dir.path()), 1);
}

TEST(TracePartWriter, WhatIsNotFinishedLeavesNothing) {
  const testing::TempDir dir;
  {
    ASSERT_OK_AND_ASSIGN(const auto writer,
                         TracePartWriter::Open(dir.file("part")));
    ASSERT_THAT(writer->Append(Part()), IsOk());
  }
  EXPECT_EQ(FilesIn(dir.path()), 0);
  EXPECT_FALSE(TracePartWriter::Open(dir.path() + "/none/part").ok());
}

}  // namespace
}  // namespace podsim
