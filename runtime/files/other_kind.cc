#include "runtime/files/other_kind.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "proto/choices.pb.h"
#include "proto/faults.pb.h"
#include "proto/geography.pb.h"
#include "proto/hardware.pb.h"
#include "proto/job.pb.h"
#include "proto/plan.pb.h"

namespace podsim {
namespace {

using ::google::protobuf::Message;

struct Kind {
  const Message* empty;
  const char* name;
  const char* flag;
};

// An error says that it is of another kind, and no more.
class Silent final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber,
                const std::string&) override {}
  void AddWarning(int, google::protobuf::io::ColumnNumber,
                  const std::string&) override {}
};

bool IsOf(const Message& empty, const std::string& text) {
  const std::unique_ptr<Message> message(empty.New());
  Silent silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  return parser.ParseFromString(text, message.get()) &&
         message->ByteSizeLong() > 0;
}

}  // namespace

std::string OtherKind(const std::string& text,
                      const google::protobuf::Descriptor& wanted) {
  if (text.starts_with("{\"event\":"))
    return "it is a run's metrics file: pod_report shows it, pod_plan takes it "
           "as --measured";
  const Kind kinds[] = {
      {&JobSpec::default_instance(), "a job", "--job of pod_launch"},
      {&FaultPlan::default_instance(), "a fault plan",
       "--faults of pod_launch"},
      {&BucketLinks::default_instance(), "a table of links",
       "--links of pod_launch"},
      {&BucketPrices::default_instance(), "a table of prices",
       "--prices of pod_launch"},
      {&ChipPrices::default_instance(), "a table of chip prices",
       "--chip_prices of pod_plan"},
      {&AlgorithmChoices::default_instance(), "a table of algorithms",
       "--choices of pod_launch"},
      {&Generation::default_instance(), "a generation's hardware",
       "--hardware of pod_launch"},
  };
  for (const Kind& kind : kinds)
    if (kind.empty->GetDescriptor() != &wanted && IsOf(*kind.empty, text))
      return absl::StrCat("it is ", kind.name, ": give it as ", kind.flag);
  return "";
}

}  // namespace podsim
