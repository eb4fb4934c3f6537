#include "controller/base/list_faults.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock {
namespace {

Error missing(std::string field) {
  Error error{Code::kFailedPrecondition, "VOLUME_NOT_FOUND", cat("no ", field)};
  error.causes.push_back({std::move(field), error.message});
  return error;
}

TEST(ListFaults, AreToldAsOneError) {
  ListFaults faults;
  EXPECT_TRUE(faults.none());
  faults.add(missing("v[0]"));
  faults.add(missing("v[2]"));
  const Status status = std::move(faults).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "no v[0] (and 1 more)");
  ASSERT_EQ(status.error().causes.size(), 2U);
  EXPECT_EQ(status.error().causes[1].field, "v[2]");
}

TEST(ListFaults, NoneAreSuccessAndOneIsItself) {
  EXPECT_TRUE(ListFaults().status().ok());
  ListFaults one;
  one.add(missing("a"));
  EXPECT_EQ(std::move(one).status().error().message, "no a");
}

}  // namespace
}  // namespace paddock
