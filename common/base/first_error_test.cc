#include "common/base/first_error.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(FirstError, IsNoneWhileAllSucceed) {
  FirstError errors;
  errors.keep({});
  EXPECT_FALSE(errors.failed());
  EXPECT_TRUE(errors.status().ok());
}

TEST(FirstError, StaysTheFirst) {
  FirstError errors;
  errors.keep(Error{Code::kNotFound, "FILE_NOT_FOUND", "one"});
  errors.keep(Error{Code::kUnavailable, "STORE_BUSY", "two"});
  errors.keep({});
  EXPECT_TRUE(errors.failed());
  EXPECT_EQ(errors.status().error().reason, Reason("FILE_NOT_FOUND"));
}

}  // namespace
}  // namespace paddock
