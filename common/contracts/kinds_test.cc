#include "common/contracts/kinds.h"

#include <set>

#include <gtest/gtest.h>

#include "common/base/reason.h"

namespace paddock::contracts {
namespace {

TEST(Kinds, AreKnownByNamesThatNoOtherKindHas) {
  std::set<std::string_view> names;
  for (const KindNames& each : kKindNames) {
    for (const std::string_view name : {each.plural, each.singular, each.short_name})
      EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(Kinds, HaveTheirOwnSchemasAndNoOtherNameHasOne) {
  for (const KindNames& each : kKindNames) {
    const wire::Value schema = kind_schema(each.kind);
    ASSERT_NE(schema.at("properties.metadata"), nullptr) << each.kind;
  }
  EXPECT_NE(kind_schema("Run").at("properties.spec.properties.command"), nullptr);
  EXPECT_EQ(kind_schema("Volume").at("properties.spec"), nullptr);
  EXPECT_TRUE(kind_schema("Teapot").is_null());
}

TEST(Kinds, HaveTheReasonsThatTheStoreGives) {
  for (const KindNames& each : kKindNames) {
    for (const char* what : {"NOT_FOUND", "ALREADY_EXISTS"})
      EXPECT_NE(Reason::of_kind(each.kind, what).row(), nullptr) << each.kind;
  }
}

}  // namespace
}  // namespace paddock::contracts
