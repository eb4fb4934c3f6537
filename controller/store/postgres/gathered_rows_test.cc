#include "controller/store/postgres/gathered_rows.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::store::postgres {
namespace {

TEST(GatheredRows, KnowsWhatInsertsOneRow) {
  const auto plain = as_row_write("INSERT INTO t (a, b) VALUES (?, ?)");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->table, "t");
  EXPECT_EQ(plain->sql, "INSERT INTO t (a, b) SELECT * FROM unnest($1, $2)");
  const auto merging =
      as_row_write("INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = excluded.a");
  ASSERT_TRUE(merging);
  EXPECT_EQ(merging->sql,
            "INSERT INTO t (a) SELECT * FROM unnest($1) ON CONFLICT (a) DO UPDATE SET a = "
            "excluded.a");
  for (const char* other :
       {"UPDATE t SET a = ?", "UPDATE t SET a = 1 WHERE b = ?", "UPDATE t SET a = ? WHERE b <= ?",
        "UPDATE t SET a = a + ? WHERE b = ?", "UPDATE t SET a = ? WHERE b = ? AND c IS NULL",
        "UPDATE t SET a = ? WHERE b = ? OR c = ?", "UPDATE t SET a = ?1 WHERE b = ?2",
        "INSERT INTO t (a) VALUES (?), (?)", "INSERT INTO t (a) VALUES (1)",
        "INSERT INTO t (a, b) VALUES (?1, ?2)", "INSERT INTO t (a) SELECT a FROM u WHERE b = ?",
        "INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = ?",
        "INSERT INTO t (a) VALUES (?) RETURNING a", "DELETE FROM t"})
    EXPECT_FALSE(as_row_write(other)) << other;
}

TEST(GatheredRows, KnowsWhatChangesOneRow) {
  const auto update = as_row_write("UPDATE t SET a = ?, b = ? WHERE c = ? AND d = ?");
  ASSERT_TRUE(update);
  EXPECT_EQ(update->keys, 2U);
  EXPECT_EQ(update->sql,
            "UPDATE t AS t SET a = n.c1, b = n.c2 FROM unnest($1, $2, $3, $4) AS n (c1, c2, c3, "
            "c4) WHERE t.c = n.c3 AND t.d = n.c4");
  GatheredRows rows;
  rows.add(*update, {number(1), text("x"), text("ab"), text("c")});
  EXPECT_TRUE(rows.has_update(*update, {number(2), text("y"), text("ab"), text("c")}));
  EXPECT_FALSE(rows.has_update(*update, {number(1), text("x"), text("a"), text("bc")}));
  GatheredRows all;
  all.append(rows);
  EXPECT_TRUE(all.has_update(*update, {number(2), text("y"), text("ab"), text("c")}));
  all.clear();
  EXPECT_FALSE(all.has_update(*update, {number(2), text("y"), text("ab"), text("c")}));
}

std::string sent(GatheredRows& rows) {
  std::string all;
  EXPECT_TRUE(rows.send_all([&](const std::string& sql, const std::vector<Parameter>& values) {
                    all += cat(sql.substr(0, sql.find(" (")), " ", values.size());
                    for (const Parameter& each : values)
                      all += cat(" ", each.type, ":", hex(each.text));
                    all += "\n";
                    return Status();
                  })
                  .ok());
  return all;
}

TEST(GatheredRows, SendsEachTableOnceAndObjectsFirst) {
  const auto events = as_row_write("INSERT INTO run_events (run_uid) VALUES (?)").value();
  const auto objects = as_row_write("INSERT INTO objects (uid, finished_ms) VALUES (?, ?)").value();
  GatheredRows kept;
  kept.add(events, {text("a")});
  GatheredRows own;
  own.add(objects, {text("b"), Parameter{kIntegerType, true, {}, {}}});
  own.add(events, {text("b")});
  kept.append(own);
  kept.add(objects, {text("c"), number(7)});
  EXPECT_GT(kept.bytes(), 0u);
  EXPECT_EQ(sent(kept),
            "INSERT INTO objects 2 "
            "1009:00000001000000000000001900000002000000010000000162"
            "0000000163 "
            "1016:000000010000000100000014000000020000000"
            "1ffffffff000000080000000000000007\n"
            "INSERT INTO run_events 1 "
            "1009:0000000100000000000000190000000200000001"
            "00000001610000000162\n");
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(kept.bytes(), 0u);
}

}  // namespace
}  // namespace paddock::store::postgres
