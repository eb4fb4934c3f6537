// What is said to be read soon, on every engine: it changes nothing that is read or written.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controller/store/engine_test_support.h"
#include "controller/store/run_writes.h"

namespace paddock::store {
namespace {

class AheadTest : public StoreTest {
 protected:
  static constexpr const char* kUid = "uid-default-a";

  void SetUp() override {
    StoreTest::SetUp();
    if (IsSkipped()) return;
    for (const char* name : {"a", "b"}) {
      contracts::Run run = make_run(name);
      run.status.phase = contracts::RunPhase::kRunning;
      run.status.node_name = "n";
      ASSERT_TRUE(create(run).ok());
    }
  }
  static Status expect(ReadTxn& txn) {
    TRY(txn.expect_runs({kUid, "uid-default-b", "nobody", std::string("\0", 1), "\xff"}));
    return txn.expect_objects({{"Run", {"default", "a"}}, {"Run", {"default", "none"}}});
  }
  static Status append(WriteTxn& txn, int64_t* id) {
    contracts::RunEvent event;
    event.type = "output";
    TRY(txn.append_event(kUid, event));
    *id = event.id;
    return {};
  }
  void write(const std::function<Status(WriteTxn&)>& change) {
    const Status written = store_->write([&](WriteTxn& txn) -> Status {
      TRY(expect(txn));
      return change(txn);
    });
    EXPECT_TRUE(written.ok()) << written.error().describe();
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, AheadTest, all_engines(), engine_name);

TEST_P(AheadTest, WhoIsThereIsReadAndWhoIsNotIsNot) {
  write([](WriteTxn& txn) -> Status {
    EXPECT_EQ(txn.run_by_uid(kUid).value().metadata.name, "a");
    EXPECT_EQ(txn.run_by_uid("nobody").error().reason, "RUN_NOT_FOUND");
    EXPECT_TRUE(txn.find<contracts::Run>({"default", "b"}).value());
    EXPECT_FALSE(txn.find<contracts::Run>({"default", "none"}).value());
    return {};
  });
}

TEST_P(AheadTest, AWriteIsSeenByWhoReadsAfterIt) {
  write([](WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(kUid));
    contracts::Run stale = run;
    run.status.message = "new";
    TRY(txn.update(run));
    EXPECT_EQ(txn.run_by_uid(kUid).value().status.message, "new");
    EXPECT_EQ(txn.get<contracts::Run>({"default", "a"}).value().status.message, "new");
    EXPECT_EQ(txn.resource_version().value(), std::stoll(run.metadata.resource_version));
    stale.status.message = "stale";
    EXPECT_EQ(txn.update(stale).error().reason, "STALE_RESOURCE_VERSION");
    TRY(expect(txn));
    EXPECT_EQ(txn.run_by_uid(kUid).value().status.message, "new");
    TRY(txn.erase<contracts::Run>({"default", "a"}));
    EXPECT_EQ(txn.run_by_uid(kUid).error().reason, "RUN_NOT_FOUND");
    EXPECT_FALSE(txn.find<contracts::Run>({"default", "a"}).value());
    return {};
  });
  EXPECT_EQ(get("a").error().reason, "RUN_NOT_FOUND");
}

TEST_P(AheadTest, WhatIsBesideARunIsAsItWasWritten) {
  int64_t id = 0;
  write([&](WriteTxn& txn) -> Status {
    EXPECT_EQ(txn.output_acked(kUid, 1).value(), 0);
    EXPECT_EQ(txn.open_line(kUid, 1).value(), "");
    TRY(append(txn, &id));
    EXPECT_EQ(id, 1);
    for (const int64_t seq : {3, 7}) TRY(txn.put_output_acked(kUid, 1, seq));
    TRY(txn.put_output_acked(kUid, 2, 1));
    EXPECT_EQ(txn.output_acked(kUid, 1).value(), 7);
    TRY(txn.put_open_line(kUid, 1, "half"));
    EXPECT_EQ(txn.open_line(kUid, 1).value(), "half");
    TRY(txn.put_sent_blob(kUid, "digest"));
    EXPECT_TRUE(txn.was_sent(kUid, "digest").value());
    return {};
  });
  write([&](WriteTxn& txn) -> Status {
    EXPECT_EQ(txn.output_acked(kUid, 1).value(), 7);
    EXPECT_EQ(txn.output_acked(kUid, 2).value(), 1);
    EXPECT_EQ(txn.output_acked(kUid, 3).value(), 0);
    EXPECT_EQ(txn.open_line(kUid, 1).value(), "half");
    TRY(append(txn, &id));
    EXPECT_EQ(id, 2);
    TRY(txn.drop_sent_blobs(kUid));
    EXPECT_FALSE(txn.was_sent(kUid, "digest").value());
    return {};
  });
  write([](WriteTxn& txn) -> Status {
    EXPECT_FALSE(txn.was_sent(kUid, "digest").value());
    EXPECT_EQ(txn.last_event_id(kUid).value(), 2);
    return {};
  });
}

TEST_P(AheadTest, AToolTokenIsFoundByTheRunItIsOf) {
  const auto make = [](WriteTxn& txn) -> Status {
    contracts::ToolToken token;
    token.metadata.name = "t";
    token.metadata.name_space = "default";
    token.metadata.uid = "uid-t";
    TRY(txn.create(token));
    return txn.put_tool_secret({"uid-t", "hash", kUid, 9});
  };
  write([&](WriteTxn& txn) -> Status {
    EXPECT_TRUE(txn.tool_tokens_of(kUid).value().empty());
    TRY(make(txn));
    EXPECT_EQ(txn.tool_tokens_of(kUid).value().size(), 1u);
    return {};
  });
  write([](WriteTxn& txn) -> Status {
    EXPECT_EQ(txn.tool_tokens_of(kUid).value().size(), 1u);
    TRY(txn.erase<contracts::ToolToken>({"default", "t"}));
    EXPECT_TRUE(txn.tool_tokens_of(kUid).value().empty());
    return {};
  });
}

TEST_P(AheadTest, WhatWasUndoneIsNotRemembered) {
  const Status failed = store_->write([](WriteTxn& txn) -> Status {
    TRY(expect(txn));
    ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(kUid));
    run.status.message = "undone";
    TRY(txn.update(run));
    TRY(txn.put_output_acked(kUid, 1, 5));
    return invalid_argument("PRECONDITION_FAILED", "planned");
  });
  EXPECT_FALSE(failed.ok());
  write([](WriteTxn& txn) -> Status {
    EXPECT_EQ(txn.run_by_uid(kUid).value().status.message, "");
    EXPECT_EQ(txn.output_acked(kUid, 1).value(), 0);
    return {};
  });
}

// What is asked about each run of a node is asked about all of them at once.
TEST_P(AheadTest, ANodesRunsAreAskedForTogether) {
  write([](WriteTxn& txn) -> Status {
    TRY(txn.put_output_acked(kUid, 1, 4));
    TRY(txn.put_output_acked("uid-default-b", 2, 5));
    for (const char* use : {"one", "two"}) {
      contracts::RunInput input{0, use};
      TRY(txn.append_input(kUid, 1, use, input));
    }
    TRY(txn.ack_inputs(kUid, 1, 1));
    const auto inputs = txn.run_inputs_on("n").value();
    EXPECT_EQ(inputs.size(), 1u);
    EXPECT_EQ(inputs.at({kUid, 1}).size(), 1u);
    EXPECT_EQ(inputs.at({kUid, 1}).front().data, "two");
    const ReadTxn::AckedOutput both{{{kUid, 1}, 4}, {{"uid-default-b", 2}, 5}};
    EXPECT_EQ(txn.output_acked_on("n").value(), both);
    EXPECT_TRUE(txn.output_acked_on("another").value().empty());
    return {};
  });
}

// Its node asks again and again for what its run was given.
TEST_P(AheadTest, WhatAnEarlierAttemptWasGivenIsReadNoMore) {
  contracts::Run agent = make_run("agent");
  agent.spec.type = contracts::RunType::kAgent;
  agent.status.phase = contracts::RunPhase::kRunning;
  agent.status.node_name = "n";
  agent.status.attempt = 1;
  ASSERT_TRUE(create(agent).ok());
  const std::string uid = agent.metadata.uid;
  write([&](WriteTxn& txn) -> Status {
    contracts::RunInput input{0, "never taken"};
    TRY(txn.append_input(uid, 1, "use", input));
    EXPECT_EQ(txn.run_inputs_on("n").value().size(), 1u);
    agent.status.phase = contracts::RunPhase::kScheduled;
    agent.status.attempt = 2;
    return save_run(txn, agent, {{0, 1, std::string(contracts::kEventPhase), "{}"}});
  });
  write([&](WriteTxn& txn) -> Status {
    EXPECT_TRUE(txn.run_inputs_on("n").value().empty());
    EXPECT_FALSE(txn.was_answered(uid, 1, "use").value());
    contracts::RunInput input{0, "taken soon"};
    TRY(txn.append_input(uid, 2, "use", input));
    agent.status.message = "begins";  // as its node says next
    TRY(save_run(txn, agent, {{0, 1, std::string(contracts::kEventPhase), "{}"}}));
    EXPECT_EQ(txn.run_inputs_on("n").value().at({uid, 2}).front().data, "taken soon");
    return {};
  });
}

}  // namespace
}  // namespace paddock::store
