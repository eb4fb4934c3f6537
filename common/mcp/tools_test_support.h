// Tools that are called, in front of an API that answers from a list.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "common/mcp/fake_api_test_support.h"

namespace paddock::mcp {

inline const wire::Value kPending =
    json(R"({"metadata":{"name":"r"},"status":{"phase":"Pending","message":"no node fits"}})");

class McpTools : public testing::Test {
 protected:
  Result<wire::Value> call(const std::string& tool, const std::string& arguments) {
    return make_server(api_, "default", "1").call(tool, json(arguments));
  }
  FakeApi api_;
};

}  // namespace paddock::mcp
