#include "cli/client/token_creation.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

using wire::Value;

// A controller that loses the first answers: what its client gets is the answer to a repeat.
class TokenCreationTest : public testing::Test {
 protected:
  Result<Value> create(int lost) {
    return create_token({.post = [this, lost](const std::string& key) -> Result<Value> {
                           keys_.push_back(key);
                           const auto made = static_cast<int>(keys_.size());
                           Value answer = Value::Object{{"id", cat("t", made)}};
                           if (made > lost) answer.set("token", "secret");
                           return answer;
                         },
                         .end = [this](const Value& made) -> Status {
                           ended_.push_back(made.text("id"));
                           return {};
                         },
                         .secret = "token"},
                        random_);
  }
  SeededRandom random_{5};
  std::vector<std::string> keys_;
  std::vector<std::string> ended_;
};

TEST_F(TokenCreationTest, HasAKeyOfItsOwn) {
  const auto made = create(0);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->text("token"), "secret");
  ASSERT_EQ(keys_.size(), 1U);
  EXPECT_NE(keys_[0], "");
  EXPECT_TRUE(ended_.empty());
}

TEST_F(TokenCreationTest, EndsATokenWhoseSecretWasLostAndMakesAnother) {
  const auto made = create(1);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->text("id"), "t2");
  EXPECT_EQ(made->text("token"), "secret");
  EXPECT_THAT(ended_, testing::ElementsAre("t1"));
  EXPECT_NE(keys_[0], keys_[1]) << "with the same one there would be the same token again";
}

TEST_F(TokenCreationTest, LeavesNoneBehindWhenItGivesUp) {
  const auto made = create(100);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, Code::kUnavailable);
  EXPECT_EQ(ended_.size(), keys_.size());
}

}  // namespace
}  // namespace paddock::cli
