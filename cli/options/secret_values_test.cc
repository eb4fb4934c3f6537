#include "cli/options/secret_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/options/option_values.h"

namespace paddock::cli {
namespace {

using contracts::SecretUse;
using testing::HasSubstr;
using testing::Not;

TEST(SecretValues, ComeFromFilesByTheirOwnNameOrAnother) {
  EXPECT_EQ(parse_value_file("password=/tmp/p")->key, "password");
  EXPECT_EQ(parse_value_file("password=/tmp/p")->file, "/tmp/p");
  EXPECT_EQ(parse_value_file("keys/id_rsa")->key, "id_rsa");
  EXPECT_EQ(parse_value_file("keys/id_rsa")->file, "keys/id_rsa");
  EXPECT_EQ(parse_value_file("token=-")->file, "-");
  EXPECT_FALSE(parse_value_file("-").ok());
  EXPECT_FALSE(parse_value_file("token=").ok());
}

TEST(SecretValues, AreInNoMessage) {
  std::map<std::string, std::string> values;
  ASSERT_TRUE(add_literal("a=hunter2=x", values).ok());
  EXPECT_EQ(values.at("a"), "hunter2=x");
  for (const char* text : {"hunter2", "a=hunter2", "../a=hunter2", "=hunter2"}) {
    const Status refused = add_literal(text, values);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_THAT(refused.error().message, Not(HasSubstr("hunter2")));
  }
}

TEST(SecretValues, AnyByteTravels) {
  const contracts::Secret secret = make_secret("db", "team", {{"k", std::string("\0\xff", 2)}});
  EXPECT_EQ(secret.data.at("k"), "AP8=");
  EXPECT_EQ(secret.metadata.name_space, "team");
}

TEST(SecretOption, NamesASecretOneOfItsValuesAndAVariable) {
  EXPECT_EQ(*parse_secret("db"), (SecretUse{"db", "", ""}));
  EXPECT_EQ(*parse_secret("db/password"), (SecretUse{"db", "password", ""}));
  EXPECT_EQ(*parse_secret("db=TOKEN"), (SecretUse{"db", "", "TOKEN"}));
  EXPECT_EQ(*parse_secret("db/pass.word=PGPASSWORD"), (SecretUse{"db", "pass.word", "PGPASSWORD"}));
  for (const char* bad : {"", "/", "db/", "db=", "../db", "db/a/b", "db/..", "Db", "db=1X",
                          "db=LD_PRELOAD", "/etc/passwd", "db/../x=Y"}) {
    const auto refused = parse_secret(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().reason, "INVALID_OPTION");
    EXPECT_THAT(refused.error().message, HasSubstr("NAME/KEY=VARIABLE"));
  }
}

}  // namespace
}  // namespace paddock::cli
