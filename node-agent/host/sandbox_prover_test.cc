#include "node-agent/host/sandbox_prover.h"

#include <poll.h>

#include <future>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/guarded.h"

namespace paddock::agent {
namespace {

using contracts::SandboxProof;

// Moved by a test while the prover looks at it.
class MovedClock final : public Clock {
 public:
  WallTime wall() const override { return {}; }
  MonoTime mono() const override { return MonoTime{now_}; }
  void advance(Millis by) { now_ += by.count(); }

 private:
  std::atomic<int64_t> now_ = 1'000'000;
};

SandboxProof proof_with(bool sandbox, bool memory) {
  SandboxProof out;
  out.capabilities.push_back({"sandbox", sandbox, "", sandbox ? "" : "mounting /proc: refused"});
  out.capabilities.push_back({"memory", memory, "", ""});
  out.canaries.emplace_back().name = "one";
  return out;
}

class Proving : public testing::Test {
 protected:
  // What the host is like from now on.
  void host_is(bool sandbox, bool memory) {
    host_.with([&](SandboxProof& host) { host = proof_with(sandbox, memory); });
  }
  bool lost_since(MonoTime since) { return prover_.lost_since(since, never_); }
  std::future<bool> ask(MonoTime since) {
    return std::async(std::launch::async, [this, since] { return lost_since(since); });
  }
  void let_time_pass() {
    clock_.advance(std::chrono::minutes(1));
    prover_.wake();
  }
  void wait_for_fault(bool there) {
    faults_.wait_for(
        told_, std::chrono::minutes(5),
        [&](const std::vector<bool>& all) { return !all.empty() && all.back() == there; },
        [&](const std::vector<bool>&, bool in_time) { EXPECT_TRUE(in_time); });
  }

  MovedClock clock_;
  const std::atomic<bool> never_ = false;
  std::atomic<int> proofs_ = 0;
  Guarded<SandboxProof> host_{proof_with(true, true)};
  Guarded<std::vector<bool>> faults_;  // of each proof, whether it was told of one
  std::condition_variable told_;
  SandboxProver prover_{[this](int) -> Result<SandboxProof> {
                          ++proofs_;
                          return host_.with([](const SandboxProof& host) { return host; });
                        },
                        proof_with(true, true),
                        [this](const SandboxProof&, const std::optional<Error>& fault) {
                          faults_.with([&](auto& all) { all.push_back(fault.has_value()); });
                          told_.notify_all();
                        },
                        clock_};
};

TEST_F(Proving, AHostThatHoldsWhatItProvedHasLostNothing) {
  prover_.start();
  EXPECT_FALSE(lost_since(clock_.mono()));
  EXPECT_EQ(proofs_, 1) << "it was tried, and not only remembered";
}

TEST_F(Proving, AHostThatCanSetUpNoSandboxHasLostItAndSaysSoUntilItCanAgain) {
  prover_.start();
  host_is(false, false);
  EXPECT_TRUE(lost_since(clock_.mono()));
  wait_for_fault(true);
  ASSERT_TRUE(prover_.fault());
  EXPECT_EQ(prover_.fault()->reason, "SANDBOX_SETUP_FAILED");
  EXPECT_NE(prover_.fault()->message.find("mounting /proc"), std::string::npos);
  const int before = proofs_;
  EXPECT_TRUE(lost_since(clock_.mono()));
  EXPECT_EQ(proofs_, before) << "what is known is not tried for each run";
  host_is(true, true);
  let_time_pass();  // and nobody asks
  wait_for_fault(false);
}

TEST_F(Proving, WhatWasGivenToTheNodeBeforeALossIsNotTheRunsFaultAndWhatCameLaterIs) {
  prover_.start();
  const MonoTime before = clock_.mono();
  host_is(true, false);
  EXPECT_TRUE(lost_since(before));
  EXPECT_FALSE(prover_.fault()) << "the host can do less, and something";
  let_time_pass();
  EXPECT_TRUE(lost_since(before)) << "another one of then";
  let_time_pass();
  EXPECT_FALSE(lost_since(clock_.mono())) << "the controller knew of the loss";
}

TEST_F(Proving, RunsThatFailByThemselvesCauseNoProofAfterTheOther) {
  prover_.start();
  EXPECT_FALSE(lost_since(clock_.mono()));
  std::future<bool> second = ask(clock_.mono());
  std::future<bool> third = ask(clock_.mono());
  EXPECT_EQ(proofs_, 1);
  let_time_pass();
  while (second.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready ||
         third.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
    let_time_pass();  // one may have asked only now
  EXPECT_FALSE(second.get() || third.get());
  EXPECT_LE(proofs_, 3);
}

TEST_F(Proving, ANewProgramIsProvenAtOnce) {
  prover_.start();
  EXPECT_FALSE(lost_since(clock_.mono()));
  host_is(false, false);
  prover_.prove_again();
  wait_for_fault(true);
}

TEST_F(Proving, WhoIsToldToGiveUpWaitsNoMore) {
  std::atomic<bool> give_up = false;
  auto asked =
      std::async(std::launch::async, [&] { return prover_.lost_since(clock_.mono(), give_up); });
  give_up = true;  // nobody proves anything
  prover_.wake();
  EXPECT_FALSE(asked.get());
}

TEST(SandboxProver, AProofThatIsUnderWayEndsWithTheAgent) {
  const SystemClock clock;
  std::promise<void> begun;
  SandboxProver prover(
      [&](int stop) -> Result<SandboxProof> {
        begun.set_value();
        pollfd told{stop, POLLIN, 0};
        ::poll(&told, 1, -1);
        return Error{Code::kDeadlineExceeded, "INTERRUPTED", "told to"};
      },
      proof_with(true, true),
      [](const SandboxProof&, const std::optional<Error>&) { FAIL() << "nothing was proven"; },
      clock);
  prover.start();
  const std::atomic<bool> never = false;
  auto asked =
      std::async(std::launch::async, [&] { return prover.lost_since(clock.mono(), never); });
  begun.get_future().wait();
  prover.stop();
  EXPECT_FALSE(asked.get());
  EXPECT_FALSE(prover.fault());
}

TEST(SandboxProver, RestsForTimesAsLongAsAProofTookWithinBounds) {
  EXPECT_EQ(rest_after_proof(Millis(10)), Millis(5'000));
  EXPECT_EQ(rest_after_proof(Millis(1'000)), Millis(9'000));
  EXPECT_EQ(rest_after_proof(Millis(60'000)), Millis(30'000));
}

}  // namespace
}  // namespace paddock::agent
