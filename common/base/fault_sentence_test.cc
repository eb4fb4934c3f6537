#include "common/base/fault_sentence.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock {
namespace {

Error two_faults() {
  Error error{
      Code::kInvalidArgument, "INVALID_FIELD", "", {{"port", "is no number"}, {"a", "is odd"}}};
  error.faults = error.causes.size();
  tell_faults(error);
  return error;
}

TEST(FaultSentence, HasTheFirstFaultAndHowManyMoreThereAre) {
  EXPECT_EQ(two_faults().message, "port: is no number (and 1 more)");
  EXPECT_EQ(without_more_faults(two_faults().message), "port: is no number");
  EXPECT_EQ(fault_text({"", "is no document"}), "is no document");
  EXPECT_EQ(more_faults(1), "");
}

TEST(FaultSentence, NamesFieldsAsItsCausesDo) {
  const auto name = [](const std::string& field) { return cat("execute.", field); };
  Error error = two_faults();
  rename_fields(error, name);
  EXPECT_EQ(error.causes[1].field, "execute.a");
  EXPECT_EQ(error.message, "execute.port: is no number (and 1 more)");
  Error of_its_own = invalid_argument("INVALID_FIELD", "the port is taken", "port");
  rename_fields(of_its_own, name);
  EXPECT_EQ(of_its_own.message, "the port is taken");
  EXPECT_EQ(of_its_own.causes[0].field, "execute.port");
}

}  // namespace
}  // namespace paddock
