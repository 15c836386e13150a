// Messages with something in every field, also those that are added one day.
#ifndef PODSIM_TESTS_RUNTIME_REPORT_FILLED_H_
#define PODSIM_TESTS_RUNTIME_REPORT_FILLED_H_

#include <google/protobuf/message.h>

#include "absl/strings/str_cat.h"

namespace podsim::testing {

// Different values, from `next` on. Messages in messages to a depth of `depth`.
inline void Fill(google::protobuf::Message& message, int& next, int depth = 4) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& set = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = message.GetDescriptor()->field(i);
    const int times = field->is_repeated() ? 2 : 1;
    for (int time = 0; time < times; ++time) {
      const int value = ++next;
      const bool many = field->is_repeated();
      switch (field->cpp_type()) {
#define PODSIM_FILL(CASE, NAME, WITH)            \
  case FieldDescriptor::CPPTYPE_##CASE:          \
    many ? set.Add##NAME(&message, field, WITH)  \
         : set.Set##NAME(&message, field, WITH); \
    break
        PODSIM_FILL(INT32, Int32, value);
        PODSIM_FILL(INT64, Int64, value);
        PODSIM_FILL(UINT32, UInt32, static_cast<std::uint32_t>(value));
        PODSIM_FILL(UINT64, UInt64, static_cast<std::uint64_t>(value));
        PODSIM_FILL(DOUBLE, Double, value + 0.1);
        PODSIM_FILL(FLOAT, Float, static_cast<float>(1e-6 * value));
        PODSIM_FILL(BOOL, Bool, true);
        PODSIM_FILL(STRING, String, absl::StrCat("text ", value));
        PODSIM_FILL(
            ENUM, Enum,
            field->enum_type()->value(field->enum_type()->value_count() - 1));
#undef PODSIM_FILL
        case FieldDescriptor::CPPTYPE_MESSAGE:
          if (depth == 0) break;
          Fill(many ? *set.AddMessage(&message, field)
                    : *set.MutableMessage(&message, field),
               next, depth - 1);
          break;
      }
    }
  }
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_REPORT_FILLED_H_
