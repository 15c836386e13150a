// What the store does beyond store_conformance_test: large objects, pages,
// races, and what it makes of a store's answers.
#include "host/storage/gcs/store.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "host/storage/gcs/objects.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GcsDouble;
using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

std::string Pattern(std::int64_t size, int seed) {
  std::string bytes(size, '\0');
  for (std::int64_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>((i * 2654435761 + seed) >> 13);
  return bytes;
}

// Passes on, with something done before the exchange of a given number.
class Interrupted final : public Http {
 public:
  Interrupted(std::unique_ptr<Http> base, int* left,
              std::function<void()> interrupt)
      : base_(std::move(base)), left_(left), interrupt_(std::move(interrupt)) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    if ((*left_)-- == 0) interrupt_();
    return base_->Send(request);
  }

 private:
  const std::unique_ptr<Http> base_;
  int* const left_;
  const std::function<void()> interrupt_;
};

class GcsStoreTest : public ::testing::Test {
 protected:
  explicit GcsStoreTest(testing::GcsDoubleOptions options = {.page = 4})
      : objects_(std::move(options)) {
    objects_.MakeBucket("bucket", "EU");
  }
  std::unique_ptr<GcsClient> Client() {
    return std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = testing::GcsDoubleOptions().endpoint,
                           .waiter = testing::VirtualWaiter(&clock_)},
        std::make_unique<Interrupted>(testing::NewDoubleHttp(&objects_),
                                      &exchanges_left_,
                                      [this] { interrupt_(); }),
        NoTokens());
  }
  std::unique_ptr<ObjectStore> Store() { return NewGcsStore(Client()); }

  SimClock clock_;
  GcsDouble objects_;
  int exchanges_left_ = -1;
  std::function<void()> interrupt_;
};

TEST_F(GcsStoreTest, LargeObjectsGoInPiecesAndComeInRanges) {
  const auto store = Store();
  for (const std::int64_t size :
       {kUploadAtOnce - 1, kUploadAtOnce, kUploadAtOnce + 1, 16 * kMiB,
        41 * kMiB + 77}) {
    const std::string bytes = Pattern(size, static_cast<int>(size % 97));
    ASSERT_THAT(store->Write("gs://bucket/big", bytes), IsOk()) << size;
    EXPECT_TRUE(objects_.Bytes("bucket", "big") == bytes) << size;
    ASSERT_OK_AND_ASSIGN(const std::string read,
                         store->Read("gs://bucket/big"));
    EXPECT_TRUE(read == bytes) << size;
    ASSERT_OK_AND_ASSIGN(const std::string range,
                         store->ReadRange("gs://bucket/big", 7 * kMiB, kMiB));
    EXPECT_TRUE(range == bytes.substr(7 * kMiB, kMiB)) << size;
  }
}

class GcsShortPieces : public GcsStoreTest {
 protected:
  GcsShortPieces() : GcsStoreTest({.most_of_a_piece = 3 * kMiB}) {}
};

TEST_F(GcsShortPieces, AnUploadGoesOnWhereTheStoreLeftOff) {
  const std::string bytes = Pattern(20 * kMiB + 5, 3);
  ASSERT_THAT(Store()->Write("gs://bucket/big", bytes), IsOk());
  EXPECT_TRUE(objects_.Bytes("bucket", "big") == bytes);
}

TEST_F(GcsStoreTest, ListsEveryPageAndAnObjectBesideItsDirectory) {
  const auto store = Store();
  std::vector<std::string> want;
  for (int i = 10; i < 31; ++i) {
    want.push_back(std::to_string(i));
    objects_.Put("bucket", "d/" + want.back(), "x");
    if (i % 5 == 0) {
      objects_.Put("bucket", "d/" + want.back() + "/below", "x");
      want.push_back(want.back() + "/");
    }
  }
  objects_.Put("bucket", "d/", "");  // as consoles mark a folder
  ASSERT_OK_AND_ASSIGN(const auto names, store->List("gs://bucket/d"));
  EXPECT_EQ(names, want);
  ASSERT_OK_AND_ASSIGN(const auto top, store->List("gs://bucket"));
  EXPECT_THAT(top, ElementsAre("d/"));
  ASSERT_THAT(store->DeleteTree("gs://bucket/d"), IsOk());
  EXPECT_TRUE(objects_.Names("bucket").empty());
}

TEST_F(GcsStoreTest, AMarkedFolderWithNothingInItIsADirectory) {
  objects_.Put("bucket", "empty/", "");
  ASSERT_OK_AND_ASSIGN(const auto names, Store()->List("gs://bucket/empty"));
  EXPECT_TRUE(names.empty());
}

TEST_F(GcsStoreTest, NamesTheBucketThatIsNotThere) {
  const auto store = Store();
  const auto missing =
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("no bucket nowhere at "));
  EXPECT_THAT(store->List("gs://nowhere/x"), missing);
  EXPECT_THAT(store->Write("gs://nowhere/x", "y"), missing);
  EXPECT_THAT(store->Read("gs://nowhere/x"), missing);
  EXPECT_THAT(store->DeleteTree("gs://bucket"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("a whole bucket")));
  EXPECT_THAT(store->Write("gs://bucket", "y"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(kIsAFolder)));
}

TEST_F(GcsStoreTest, AnObjectReplacedInMidReadIsReadAnew) {
  const auto store = Store();
  const std::string before = Pattern(30 * kMiB, 1);
  const std::string after = Pattern(30 * kMiB, 2);
  for (int at = 1; at <= 3; ++at) {
    objects_.Put("bucket", "big", before);
    interrupt_ = [&] { objects_.Put("bucket", "big", after); };
    exchanges_left_ = at;
    ASSERT_OK_AND_ASSIGN(const std::string read,
                         store->Read("gs://bucket/big"));
    EXPECT_TRUE(read == after) << at;
  }
}

TEST_F(GcsStoreTest, AnObjectDeletedInMidReadIsMissing) {
  objects_.Put("bucket", "big", Pattern(30 * kMiB, 1));
  ASSERT_OK_AND_ASSIGN(const auto names, Store()->List("gs://bucket"));
  exchanges_left_ = 1;
  interrupt_ = [&] {
    (void)objects_.Handle(
        {.method = "DELETE", .url = "/storage/v1/b/bucket/o/big"});
  };
  EXPECT_THAT(Store()->Read("gs://bucket/big"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(kNothingThere)));
}

TEST_F(GcsStoreTest, AWriteThatWasOvertakenIsMadeAnew) {
  exchanges_left_ = 1;  // after the look at it, before the upload
  interrupt_ = [&] { objects_.Put("bucket", "x", "another's"); };
  ASSERT_THAT(Store()->Write("gs://bucket/x", "ours"), IsOk());
  EXPECT_EQ(objects_.Bytes("bucket", "x"), "ours");
}

TEST_F(GcsStoreTest, UploadsOnlyOverTheGenerationItWasTold) {
  const auto client = Client();
  ASSERT_OK_AND_ASSIGN(const GcsName name, ParseGcsName("gs://bucket/x"));
  ASSERT_OK_AND_ASSIGN(const GcsObject first, UploadGcs(*client, name, "1", 0));
  const auto aborted =
      StatusIs(absl::StatusCode::kAborted, HasSubstr("write gs://bucket/x"));
  EXPECT_THAT(UploadGcs(*client, name, "2", 0), aborted);
  ASSERT_THAT(UploadGcs(*client, name, "2", first.generation), IsOk());
  EXPECT_THAT(UploadGcs(*client, name, Pattern(9 * kMiB, 1), first.generation),
              aborted)
      << "in pieces, too";
  EXPECT_EQ(objects_.Bytes("bucket", "x"), "2");
  EXPECT_THAT(DeleteGcs(*client, name, first.generation),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("replaced")));
  EXPECT_EQ(objects_.Bytes("bucket", "x"), "2");
}

TEST_F(GcsStoreTest, SaysWhereTheBucketIs) {
  const auto client = Client();
  ASSERT_OK_AND_ASSIGN(const GcsName name, ParseGcsName("gs://bucket/x"));
  ASSERT_OK_AND_ASSIGN(const std::string location,
                       LocationOfGcs(*client, name));
  EXPECT_EQ(location, "eu");
  ASSERT_OK_AND_ASSIGN(const GcsName other, ParseGcsName("gs://nowhere/x"));
  EXPECT_THAT(LocationOfGcs(*client, other),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nowhere")));
}

}  // namespace
}  // namespace podsim
