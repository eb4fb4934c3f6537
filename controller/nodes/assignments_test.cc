// A held call is answered when the version of what its node should hold changes. That is asked for
// without making the assignments, and is the same.
#include "controller/nodes/assignments.h"

#include <algorithm>
#include <functional>

#include "controller/nodes/nodes_test_support.h"
#include "controller/runs/transitions.h"

namespace paddock::nodes {
namespace {

class AssignmentsVersion : public NodesTest {
 protected:
  Status change(const std::string& uid, const std::function<Status(contracts::Run&)>& how) {
    return store_->write([&](store::WriteTxn& txn) -> Status {
      ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(uid));
      TRY(how(run));
      return store::save_run(txn, run, {});
    });
  }
  // The one that was answered, if it is also the one that is asked for.
  std::string version() {
    const auto answer = call();
    EXPECT_TRUE(answer.ok());
    EXPECT_EQ(desired_version(*store_, "n1").value(), answer->version);
    return answer->version;
  }
};

TEST_F(AssignmentsVersion, IsOneHoweverItIsAskedForAndAnotherWithEachChange) {
  std::vector<std::string> seen{version()};
  const auto expect_another = [&](const char* what) {
    const std::string now = version();
    EXPECT_EQ(std::ranges::count(seen, now), 0) << what;
    seen.push_back(now);
  };
  place("a");
  place("b");
  expect_another("placed");
  place("c", "elsewhere");
  EXPECT_EQ(version(), seen.back()) << "of another node";
  ASSERT_TRUE(change("uid-b", [](contracts::Run& run) -> Status {
                run.spec.type = contracts::RunType::kAgent;
                return {};
              }).ok());
  EXPECT_EQ(version(), seen.back()) << "a type that was there from the start";
  for (int i = 0; i < 2; ++i) {
    contracts::RunInput input{0, "{}\n"};
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) {
                      return txn.append_input("uid-b", 1, cat("use-", i), input);
                    })
                    .ok());
    expect_another("input");
  }
  ASSERT_TRUE(change("uid-a", [&](contracts::Run& run) -> Status {
                (void)runs::request_cancel(run, clock_.wall());
                return {};
              }).ok());
  expect_another("canceled");
  ASSERT_TRUE(change("uid-a", [&](contracts::Run& run) -> Status {
                (void)runs::kill_now(run, clock_.wall());
                return {};
              }).ok());
  expect_another("killed");
}

TEST_F(AssignmentsVersion, NeedsNoCopyOfARun) {
  place("a");
  const Status read = store_->read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto kept, txn.look_at_run("uid-a"));
    ASSIGN_OR_RETURN(const auto again, txn.look_at<contracts::Run>({"default", "a"}));
    EXPECT_EQ(kept, again);
    TRY(txn.visit_active_runs_on("n1",
                                 [&](const contracts::Run& run) { EXPECT_EQ(&run, kept.get()); }));
    ASSIGN_OR_RETURN(const auto nobody, txn.look_at_run("uid-of-nobody"));
    EXPECT_EQ(nobody, nullptr);
    return {};
  });
  EXPECT_TRUE(read.ok());
}

}  // namespace
}  // namespace paddock::nodes
