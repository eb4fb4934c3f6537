#include "cli/output/known_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using testing::HasSubstr;

TEST(KnownFields, AreThoseOfTheContractsAndWhateverIsWithinMaps) {
  for (const auto& path :
       std::vector<std::vector<std::string>>{{},
                                             {"metadata", "labels", "any"},
                                             {"status", "startedAt"},
                                             {"spec", "sandbox", "limits", "memory"},
                                             {"status", "timingsMs", "queue"}})
    EXPECT_TRUE(check_field(Kind::kRun, path).ok());
  for (const KindInfo& each : all_kinds())
    EXPECT_TRUE(check_field(each.kind, {"metadata", "name"}).ok()) << each.plural;
}

TEST(KnownFields, OthersAreRefusedByTheNameThatIsWrong) {
  const Error error = check_field(Kind::kRun, {"status", "startedAd"}).error();
  EXPECT_EQ(error.reason, "FIELD_UNKNOWN");
  EXPECT_THAT(error.message, HasSubstr("`startedAd`"));
  EXPECT_THAT(error.message, HasSubstr("`startedAt`?"));
  EXPECT_THAT(error.message, HasSubstr("`paddock explain run.status`"));
  EXPECT_THAT(check_field(Kind::kNode, {"foo"}).error().message, HasSubstr("`foo`"));
}

}  // namespace
}  // namespace paddock::cli
