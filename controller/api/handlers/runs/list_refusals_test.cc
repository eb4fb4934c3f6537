#include "controller/api/handlers/runs/list_refusals.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

TEST(ListRefusals, TheFirstWrongItemNamesTheError) {
  ListRefusals refusals;
  ASSERT_TRUE(refusals.add(4, invalid_argument("NAME_TWICE", "later", "spec")).ok());
  ASSERT_TRUE(refusals.add(2, invalid_argument("NAME_INVALID", "first")).ok());
  const Error error = refusals.status().error();
  EXPECT_EQ(error.reason, "NAME_INVALID");
  EXPECT_EQ(error.message, "items[2]: first (and 1 more item)");
  ASSERT_EQ(error.causes.size(), 2u);
  EXPECT_EQ(error.causes[1].field, "items[4].spec");
}

// Otherwise a caller could hide an attempt at something forbidden behind a typo.
TEST(ListRefusals, ADenialNamesTheErrorWhateverElseIsWrong) {
  ListRefusals refusals;
  ASSERT_TRUE(refusals.add(0, invalid_argument("UNKNOWN_FIELD", "a typo")).ok());
  ASSERT_TRUE(refusals.add(3, Error{Code::kPermissionDenied, "SCOPE_MISSING", "not yours"}).ok());
  const Error error = refusals.status().error();
  EXPECT_EQ(error.code, Code::kPermissionDenied);
  EXPECT_EQ(error.reason, "SCOPE_MISSING");
  EXPECT_EQ(error.causes.size(), 2u);
}

TEST(ListRefusals, WhatIsOurFaultIsNoItems) {
  ListRefusals refusals;
  EXPECT_FALSE(refusals.add(0, Error{Code::kUnavailable, "STORE_IO", "gone"}).ok());
  for (const int fault : {ENOENT, EACCES, EEXIST, ENOSPC, ENOTDIR})
    EXPECT_FALSE(refusals.add(0, system_error("opening a blob", fault)).ok()) << fault;
  EXPECT_TRUE(refusals.status().ok());
}

}  // namespace
}  // namespace paddock::api
