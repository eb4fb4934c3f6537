#include "common/contracts/run_exec.h"

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

bool reads(const std::string& text) {
  const auto document = wire::parse_json(text, {.max_bytes = 1 << 20});
  return document.ok() && wire::decode<RunCommandRequest>(*document).ok();
}

std::string of_word(size_t bytes) { return R"({"command":[")" + std::string(bytes, 'x') + "\"]}"; }

TEST(RunCommand, IsBoundedInAllThatItSays) {
  EXPECT_TRUE(reads(R"({"command":["sh","-c",""],"commandId":"a-1","timeoutMs":3600000})"));
  EXPECT_TRUE(reads(R"({"command":["cat"],"stdin":"YQ=="})"));
  EXPECT_TRUE(reads(of_word(run_exec::kMostCommandBytes - 1)));
  EXPECT_FALSE(reads(of_word(run_exec::kMostCommandBytes)));
  for (const char* wrong :
       {"{}", R"({"command":[]})", R"({"command":[""]})", R"({"command":["a\u0000"]})",
        R"({"command":["a"],"commandId":"A"})", R"({"command":["a"],"commandId":"../x"})",
        R"({"command":["a"],"timeoutMs":0})", R"({"command":["a"],"timeoutMs":3600001})",
        R"({"command":["a"],"uid":0})", R"({"command":["a"],"stdin":"@"})",
        R"({"command":["a"],"stdin":"YQ"})", R"({"command":["a"],"stdin":1})"})
    EXPECT_FALSE(reads(wrong)) << wrong;
}

}  // namespace
}  // namespace paddock::contracts
