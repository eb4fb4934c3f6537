#include "common/client/retry.h"

#include <gtest/gtest.h>

namespace paddock::client {
namespace {

Failure failure(Code code, Reason reason = "QUOTA_USED_UP") { return {{code, reason, "m"}}; }

TEST(SafeToRepeat, AsksTheMethodOrTheKey) {
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE"})
    EXPECT_TRUE(safe_to_repeat(method, false));
  EXPECT_FALSE(safe_to_repeat("POST", false));
  EXPECT_FALSE(safe_to_repeat("PATCH", false));
  EXPECT_TRUE(safe_to_repeat("POST", true));
}

TEST(RetryDelay, RepeatsOnlyWhatMayPassAndMayBeRepeated) {
  SeededRandom random(1);
  for (const Code code : {Code::kUnavailable, Code::kResourceExhausted, Code::kDeadlineExceeded}) {
    EXPECT_TRUE(retry_delay(failure(code), true, 1, random).has_value());
    EXPECT_FALSE(retry_delay(failure(code), false, 1, random).has_value());
  }
  for (const Code code : {Code::kInvalidArgument, Code::kUnauthenticated, Code::kNotFound,
                          Code::kConflict, Code::kInternal}) {
    EXPECT_FALSE(retry_delay(failure(code), true, 1, random).has_value());
  }
  EXPECT_TRUE(
      retry_delay(failure(Code::kUnavailable, "UNREACHABLE"), false, 1, random).has_value());
  for (const Reason& reason :
       {Reason("NOT_LEADER"), Reason("NO_NODE"), Reason("NODES_BUSY"), Reason("TOO_MANY_CALLS")})
    EXPECT_TRUE(retry_delay(failure(Code::kUnavailable, reason), false, 1, random))
        << reason.text();
  EXPECT_FALSE(retry_delay(failure(Code::kUnavailable, "ABORTED"), true, 1, random).has_value());
  EXPECT_FALSE(retry_delay(failure(Code::kUnavailable), true, 4, random).has_value());
}

TEST(RetryDelay, WaitsAtLeastAsLongAsTheServerAskedWithinReason) {
  SeededRandom random(1);
  Failure busy = failure(Code::kResourceExhausted);
  busy.retry_after = Millis(2000);
  EXPECT_GE(*retry_delay(busy, true, 1, random), Millis(2000));
  busy.retry_after = Millis(86'400'000);
  EXPECT_LE(*retry_delay(busy, true, 1, random), Millis(35'000));
}

// How often it is asked until that is given up.
int tries(Millis patience, const Failure& failure, bool repeatable = true,
          Millis each = Millis(5'000)) {
  SeededRandom random(1);
  Patience asking(patience);
  MonoTime now{1'000};
  int count = 1;
  while (const auto delay = asking.after(failure, repeatable, now, random)) {
    now = now + *delay + each;
    ++count;
  }
  return count;
}

TEST(Patience, LastsWhileNobodyAnswersAndForNoRefusal) {
  Failure nobody = failure(Code::kUnavailable, "UNREACHABLE");
  nobody.unanswered = true;
  EXPECT_EQ(tries(Millis(0), nobody, true, Millis(0)), 4) << "a few times in any case";
  EXPECT_GT(tries(Millis(120'000), nobody), 10);
  EXPECT_LT(tries(Millis(120'000), nobody), 40);
  EXPECT_GT(tries(Millis(120'000), failure(Code::kUnavailable, "NOT_LEADER")), 10);
  EXPECT_EQ(tries(Millis(120'000), failure(Code::kResourceExhausted, "QUOTA_PENDING")), 4);
  EXPECT_EQ(tries(Millis(120'000), failure(Code::kInvalidArgument)), 1);
  EXPECT_GT(tries(Millis(120'000), failure(Code::kUnavailable, "STORE_FULL")), 10);
}

// A day, as a proxy may say, is no reason to wait longer than the caller would.
TEST(Patience, EndsThoughTheServerAsksForLonger) {
  Failure away = failure(Code::kUnavailable, "UNEXPECTED_ANSWER");
  away.retry_after = Millis(600'000);
  for (const Millis given : {Millis(0), Millis(3'000)}) {
    SeededRandom random(1);
    Patience asking(given);
    Millis waited{0};
    int count = 0;
    while (const auto delay = asking.after(away, true, MonoTime{1'000} + waited, random)) {
      waited += *delay;
      ASSERT_LT(++count, 20);
    }
    EXPECT_GE(count, 3) << "a few times in any case";
    EXPECT_LE(waited, given + Millis(1'400)) << "what is left of it, and the pauses of the few";
  }
}

// As a server does that was stopped: it takes connections, and no more.
TEST(Patience, HoldsForWhoIsSilent) {
  Failure silent = failure(Code::kDeadlineExceeded, "IDLE_TIMEOUT");
  silent.unanswered = true;
  for (const Millis given : {Millis(0), Millis(1'000), Millis(5'000), Millis(60'000)}) {
    SeededRandom random(1);
    Patience asking(given);
    const MonoTime begun{1'000};
    MonoTime now = begun;
    for (std::optional<Millis> delay = Millis(0); delay;) {
      now = now + *delay;
      const auto time = asking.for_try(now);
      ASSERT_TRUE(time.has_value());
      EXPECT_LE(*time, std::max(given, kShortestTry));
      now = now + std::min(*time, Millis(30'000));  // as long as requests may take
      delay = asking.after(silent, true, now, random);
    }
    EXPECT_GE(now - begun, given);
    EXPECT_LE(now - begun, given + Millis(8'000)) << given.count();
  }
  EXPECT_EQ(Patience(std::nullopt).for_try(MonoTime{1}), std::nullopt) << "who said nothing of it";
}

TEST(Patience, IsAskedAgainByWhoStoodStillDuringTheFirstTry) {
  SeededRandom random(1);
  Failure silent = failure(Code::kUnavailable, "UNREACHABLE");
  silent.unanswered = true;
  Patience asking(Millis(5'000));
  ASSERT_TRUE(asking.for_try(MonoTime{0}));
  EXPECT_TRUE(asking.after(silent, true, MonoTime{3'600'000}, random));
}

// As of a typing error in --server.
TEST(Patience, EndsSoonForANameThatNobodyHas) {
  Failure nobody = failure(Code::kUnavailable, "SERVER_NAME_UNKNOWN");
  nobody.unanswered = true;
  for (const bool repeatable : {true, false})
    EXPECT_EQ(tries(Millis(120'000), nobody, repeatable), 4) << "a few times in any case";
}

TEST(Patience, OfWhoStoodStillIsNotUsedUp) {
  SeededRandom random(1);
  Failure nobody = failure(Code::kUnavailable, "UNREACHABLE");
  nobody.unanswered = true;
  Patience asking(Millis(120'000));
  MonoTime now{1'000};
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(asking.after(nobody, true, now, random));
    now = now + Millis(1'000);
  }
  now = now + Millis(3'600'000);
  EXPECT_TRUE(asking.after(nobody, true, now, random)) << "stopped for an hour";
}

TEST(Patience, SendsNothingTwiceThatCouldBeDoneTwice) {
  Failure lost = failure(Code::kUnavailable, "CONNECTION_BROKEN");
  lost.unanswered = true;
  EXPECT_EQ(tries(Millis(120'000), lost, false), 1);
  Failure never_sent = failure(Code::kUnavailable, "UNREACHABLE");
  never_sent.unanswered = true;
  EXPECT_GT(tries(Millis(120'000), never_sent, false), 10);
}

TEST(ParseRetryAfter, ReadsSecondsOnly) {
  EXPECT_EQ(parse_retry_after(" 3 "), Millis(3000));
  for (const char* text : {"", "-1", "1.5", "99999999999", "Wed, 21 Oct 2015 07:28:00 GMT"}) {
    EXPECT_EQ(parse_retry_after(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace paddock::client
