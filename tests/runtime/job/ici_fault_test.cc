#include "runtime/job/ici_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interconnect/timing/network.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

TEST(IciFaultTest, NamesAWireAndARate) {
  ASSERT_OK_AND_ASSIGN(const LinkFault flat,
                       ParseIciFault("link:(3,1)-(4,1):0.25"));
  EXPECT_EQ(flat.from, (Coordinate{3, 1}));
  EXPECT_EQ(flat.to, (Coordinate{4, 1}));
  EXPECT_EQ(flat.rate, 0.25);
  ASSERT_OK_AND_ASSIGN(const LinkFault deep,
                       ParseIciFault("link:(0,0,7)-(0,0,0):0"));
  EXPECT_EQ(deep.from, (Coordinate{0, 0, 7}));
  EXPECT_EQ(deep.rate, 0);
}

TEST(IciFaultTest, SaysHowItIsWritten) {
  for (const char* text :
       {"", "link", "link:", "link:(3,1)-(4,1)", "link:(3,1)-(4,1):",
        "link:(3,1)-(4,1):2", "link:(3,1)-(4,1):-1", "link:(3,1)-(4,1):nan",
        "link:(3)-(4,1):1", "link:(3,1)(4,1):1", "link:(a,b)-(4,1):1",
        "chip:(3,1)-(4,1):1", "link:(1,2,3,4)-(4,1):1", ":)-(:", "\n"}) {
    EXPECT_THAT(ParseIciFault(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("link:(3,1)-(4,1):0.25"),
                               Not(HasSubstr("\n")))))
        << text;
  }
}

TEST(IciFaultTest, SaysWhatIsWrong) {
  struct Wrong {
    const char* text;
    const char* says;
  };
  for (const Wrong& wrong :
       {Wrong{"(0,0)-(1,0):0.5", "it does not begin with link:"},
        Wrong{"link:(0,0)-(1,0):0.5,link:(1,0)-(1,1):0.5",
              "it has several links"},
        Wrong{"link:(0,0)->(1,0):0.5", "no )-( stands between two chips"},
        Wrong{"link:(0,0)-(1,0)", "no rate stands behind the second chip"},
        Wrong{"link:(0,0)-(1,0) 0.5", "no rate stands behind"},
        Wrong{"link:(0.0)-(1.0):0.5", "two or three whole numbers"},
        Wrong{"link:(0,0)-(1,0):25%", "its rate is '25%', here 0.25: give"},
        Wrong{"link:(0,0)-(1,0):2", "its rate is '2': give link:"},
        Wrong{"link:(0,0)-(1,0):", "its rate is '': give link:"}})
    EXPECT_THAT(
        ParseIciFault(wrong.text),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(wrong.says)))
        << wrong.text;
}

JobSpec SpecWith(const std::string& fault) {
  JobSpec spec;
  spec.set_ici_fault(fault);
  return spec;
}

TEST(IciFaultTest, IsOfTheSlice) {
  const Slice sound = *FindSlice("v3-32");
  ASSERT_OK_AND_ASSIGN(const Slice same, WithIciFault(sound, JobSpec()));
  EXPECT_TRUE(same.link_faults.empty());
  ASSERT_OK_AND_ASSIGN(const Slice slow,
                       WithIciFault(sound, SpecWith("link:(0,0)-(1,0):0.25")));
  ASSERT_EQ(slow.link_faults.size(), 1u);
  EXPECT_EQ(LinkFaultText(slow.link_faults[0], /*three=*/false),
            "link (0,0)-(1,0) at 0.25 of its rate");
  EXPECT_EQ(LinkFaultsText(slow), "link (0,0)-(1,0) at 0.25 of its rate");
  EXPECT_EQ(LinkFaultsText(sound), "");
  EXPECT_EQ(NetworkOf(slow).faults.size(), 1u);
  EXPECT_EQ(LinkFaultText({{0, 0, 1}, {0, 0, 2}, 0}, /*three=*/true),
            "link (0,0,1)-(0,0,2) cut");
  EXPECT_THAT(WithIciFault(sound, SpecWith("link:(0,0)-(3,3):0.25")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("ici_fault on v3-32: link (0,0)-(3,3)"),
                             HasSubstr("chip (0,0) has wires to"))));
}

TEST(IciFaultTest, OfSeveralSlicesThoseThatHaveTheLink) {
  const std::vector<Slice> slices = {*FindSlice("v3-8"), *FindSlice("v3-32")};
  ASSERT_OK_AND_ASSIGN(const std::vector<Slice> some,
                       WithIciFault(slices, SpecWith("link:(2,1)-(3,1):0")));
  EXPECT_TRUE(some[0].link_faults.empty());
  EXPECT_EQ(some[1].link_faults.size(), 1u);
  EXPECT_THAT(WithIciFault(slices, SpecWith("link:(8,1)-(9,1):0")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("ici_fault on v3-8: ")));
}

}  // namespace
}  // namespace podsim
