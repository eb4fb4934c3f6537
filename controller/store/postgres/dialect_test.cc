#include "controller/store/postgres/dialect.h"

#include <gtest/gtest.h>

namespace paddock::store::postgres {
namespace {

TEST(Dialect, NumbersPlaceholdersAndDropsHints) {
  const auto plain = translate("SELECT a FROM t WHERE b = ? AND c = ?");
  EXPECT_EQ(plain.sql, "SELECT a FROM t WHERE b = $1 AND c = $2");
  EXPECT_EQ(plain.parameters, 2u);
  const auto numbered =
      translate("SELECT a FROM t INDEXED BY t_a WHERE ?2 = '' OR b = ?1 LIMIT ?12");
  EXPECT_EQ(numbered.sql, "SELECT a FROM t  WHERE $2 = '' OR b = $1 LIMIT $12");
  EXPECT_EQ(numbered.parameters, 12u);
  const auto walk = translate("SELECT a FROM t NOT INDEXED JOIN s WHERE s.b = t.b");
  EXPECT_EQ(walk.sql, "SELECT a FROM t JOIN s WHERE s.b = t.b");
}

TEST(Dialect, LeavesTextsAlone) {
  const auto quoted = translate("SELECT '?1 INDEXED BY x', 'it''s ?' WHERE a = ?");
  EXPECT_EQ(quoted.sql, "SELECT '?1 INDEXED BY x', 'it''s ?' WHERE a = $1");
  EXPECT_EQ(quoted.parameters, 1u);
}

}  // namespace
}  // namespace paddock::store::postgres
