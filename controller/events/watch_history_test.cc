#include "controller/events/watch_history.h"

#include <gtest/gtest.h>

namespace paddock::events {
namespace {

store::ObjectWrite change(int64_t version, const std::string& name, std::string before,
                          std::string after, const std::string& kind = "Run") {
  using Op = store::ObjectWrite::Op;
  const Op op = before.empty() ? Op::kCreate : after.empty() ? Op::kDelete : Op::kUpdate;
  return {version, kind, {"default", name}, op, std::move(before), std::move(after)};
}

std::vector<int64_t> versions_after(const WatchHistory& history, int64_t version,
                                    size_t most = 100) {
  std::vector<int64_t> out;
  const auto look = history.after("Run", version, most);
  for (const auto& each : look.value().changes) out.push_back(each->resource_version);
  return out;
}

TEST(WatchHistory, GivesEveryChangeOfAKindAfterAVersionInOrder) {
  WatchHistory history;
  history.begin(10);
  history.publish({change(11, "a", "", "1"), change(12, "n", "", "x", "Node")});
  history.publish({change(13, "a", "1", "2"), change(14, "a", "2", "")});
  EXPECT_EQ(versions_after(history, 10), (std::vector<int64_t>{11, 13, 14}));
  EXPECT_EQ(versions_after(history, 12), (std::vector<int64_t>{13, 14}));
  EXPECT_EQ(versions_after(history, 14), (std::vector<int64_t>{}));
  const auto all = history.after("Run", 10, 100).value().changes;
  EXPECT_EQ(all[0]->before, nullptr);
  EXPECT_EQ(*all[1]->before, "1");
  EXPECT_EQ(all[1]->before, all[0]->after);  // one text, not two
  EXPECT_EQ(*all[2]->before, "2");
  EXPECT_EQ(all[2]->after, nullptr);
}

TEST(WatchHistory, ThatBeginsAnewHasForgottenWhatWasBefore) {
  WatchHistory history;
  history.begin(10);
  history.publish({change(11, "a", "", "1")});
  EXPECT_EQ(history.up_to(), 11);
  history.begin(20);
  EXPECT_EQ(history.up_to(), 20);
  for (const char* kind : {"Run", "Node"})
    EXPECT_EQ(history.after(kind, 11, 100).error().reason, "RESOURCE_VERSION_TOO_OLD");
  history.publish({change(21, "a", "1", "2")});
  EXPECT_EQ(versions_after(history, 20), (std::vector<int64_t>{21}));
}

TEST(WatchHistory, ThatIsClosedSaysWhyAndThenGoesOnWithWhatWasPublishedMeanwhile) {
  WatchHistory history;
  history.begin(10);
  history.publish({change(11, "a", "", "1")});
  history.close({Code::kUnavailable, "NOT_LEADER", "ask another one"});
  history.publish({change(12, "a", "1", "2")});
  EXPECT_EQ(history.after("Run", 10, 100).error().reason, "NOT_LEADER");
  EXPECT_EQ(history.after("Node", 12, 100).error().reason, "NOT_LEADER");
  history.reopen();
  EXPECT_EQ(versions_after(history, 10), (std::vector<int64_t>{11, 12}));
}

TEST(WatchHistory, SaysHowFarALookWent) {
  WatchHistory history;
  history.begin(1);
  history.publish({change(2, "a", "", "1"), change(3, "b", "", "1")});
  history.publish({change(9, "n", "", "x", "Node")});
  EXPECT_EQ(history.after("Run", 1, 1)->up_to, 2);
  EXPECT_EQ(history.after("Run", 2, 5)->up_to, 9);  // nothing of this kind up to 9
  EXPECT_EQ(history.after("Workspace", 20, 5)->up_to, 20);
}

TEST(WatchHistory, TellsAWatchThatIsTooFarBehind) {
  WatchHistory history({.changes = 2, .bytes = 1 << 20});
  history.begin(5);
  EXPECT_EQ(history.after("Run", 4, 1).error().code, Code::kGone);
  EXPECT_TRUE(history.after("Run", 5, 1).ok());
  for (int64_t v = 6; v < 10; ++v) history.publish({change(v, cat("r", v), "", "x")});
  EXPECT_EQ(history.after("Run", 6, 1).error().reason, "RESOURCE_VERSION_TOO_OLD");
  EXPECT_EQ(versions_after(history, 7), (std::vector<int64_t>{8, 9}));
  EXPECT_TRUE(history.after("Node", 5, 1).ok());  // each kind has a history of its own
}

store::ObjectWrite in(const std::string& name_space, store::ObjectWrite change) {
  change.key.name_space = name_space;
  return change;
}

std::vector<int64_t> versions_in(const WatchHistory& history, const std::string& name_space,
                                 int64_t version) {
  std::vector<int64_t> out;
  const auto look = history.after("Run", version, 100, name_space);
  if (!look.ok()) return {-1};
  for (const auto& each : look->changes) out.push_back(each->resource_version);
  return out;
}

TEST(WatchHistory, GivesTheChangesOfOneNamespaceOrOfAllInOrder) {
  WatchHistory history;
  history.begin(0);
  history.publish({in("b", change(1, "x", "", "1")), in("a", change(2, "x", "", "1")),
                   in("b", change(3, "y", "", "1")), in("a", change(4, "x", "1", "2"))});
  EXPECT_EQ(versions_in(history, "a", 0), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(versions_in(history, "b", 1), (std::vector<int64_t>{3}));
  EXPECT_EQ(versions_in(history, "none", 0), (std::vector<int64_t>{}));
  EXPECT_EQ(versions_after(history, 0), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(versions_after(history, 0, 3), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(history.after("Run", 0, 3)->up_to, 3);
  EXPECT_EQ(history.after("Run", 0, 1, "a")->up_to, 2);
  EXPECT_EQ(history.after("Run", 2, 1, "a")->up_to, 4);
}

// A caller that writes without end makes only its own watches list again.
TEST(WatchHistory, KeepsTheChangesOfOthersWhereOneNamespaceWritesMost) {
  for (const auto& limits : {WatchHistory::Limits{.changes = 1000, .bytes = 4096},
                             WatchHistory::Limits{.changes = 5, .bytes = 1 << 20}}) {
    WatchHistory history(limits);
    history.begin(0);
    history.publish({in("quiet", change(1, "x", "", "1"))});
    for (int64_t v = 2; v <= 20; ++v)
      history.publish({in("loud", change(v, cat("r", v), "", std::string(700, 'x')))});
    history.publish({in("quiet", change(21, "x", "1", "2"))});
    EXPECT_EQ(versions_in(history, "quiet", 0), (std::vector<int64_t>{1, 21}));
    EXPECT_EQ(versions_in(history, "loud", 1), (std::vector<int64_t>{-1}));
    EXPECT_EQ(history.after("Run", 1, 100).error().code, Code::kGone) << "of all namespaces";
    EXPECT_EQ(versions_after(history, 18), (std::vector<int64_t>{19, 20, 21}));
  }
}

// Namespaces that have little and change nothing take no place from those that work.
TEST(WatchHistory, KeepsTheNewestOfManyNamespacesWhicheverTheyAreOf) {
  constexpr int64_t kSpaces = 1'000;
  constexpr int64_t kKept = 2 * kSpaces;
  const std::string text(700, 'x');
  for (const auto& limits :
       {WatchHistory::Limits{.changes = 1 << 20, .bytes = kKept * (256 + text.size())},
        WatchHistory::Limits{.changes = kKept, .bytes = 1 << 30}}) {
    WatchHistory history(limits);
    history.begin(0);
    const auto write = [&](int64_t version, int64_t space) {
      history.publish({in(cat("space-", space), change(version, cat("r", version), "", text))});
    };
    int64_t version = 0;
    for (; version < kKept; ++version) write(version + 1, version % kSpaces);
    for (; version < kKept + kSpaces; ++version) write(version + 1, version % 3);
    const int64_t lost = version - kKept;
    EXPECT_TRUE(history.after("Run", lost, 10).ok());
    EXPECT_FALSE(history.after("Run", lost - 1, 10).ok());
    EXPECT_TRUE(history.after("Run", kKept, 10, "space-0").ok());
  }
}

TEST(WatchHistory, IsBoundedInBytesToo) {
  WatchHistory history({.changes = 1000, .bytes = 4096});
  history.begin(0);
  for (int64_t v = 1; v <= 20; ++v)
    history.publish({change(v, cat("r", v), "", std::string(700, 'x'))});
  EXPECT_EQ(history.after("Run", 0, 100).error().code, Code::kGone);
  EXPECT_EQ(versions_after(history, 17), (std::vector<int64_t>{18, 19, 20}));
}

}  // namespace
}  // namespace paddock::events
