#include "node-agent/sandbox/linux/notify/limit_signals.h"

#include <signal.h>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int> of_timer(int signal, int notify) {
  sigevent event{};
  event.sigev_signo = signal;
  event.sigev_notify = notify;
  return limit_signals_of_timer({reinterpret_cast<const char*>(&event), 16});
}

TEST(LimitSignalsOfTimer, AreTheOneThatItNames) {
  EXPECT_THAT(of_timer(SIGXFSZ, SIGEV_SIGNAL), ElementsAre(SIGXFSZ));
  EXPECT_THAT(of_timer(SIGXCPU, SIGEV_THREAD_ID), ElementsAre(SIGXCPU));
  EXPECT_THAT(of_timer(SIGXCPU, SIGEV_THREAD), ElementsAre(SIGXCPU));
}

TEST(LimitSignalsOfTimer, AreNoneOfOneThatSendsAnother) {
  EXPECT_THAT(of_timer(SIGALRM, SIGEV_SIGNAL), IsEmpty());
  EXPECT_THAT(of_timer(SIGPROF, SIGEV_THREAD_ID), IsEmpty());
  EXPECT_THAT(of_timer(SIGXFSZ, SIGEV_NONE), IsEmpty());
}

TEST(LimitSignalsOfTimer, AreAllOfOneThatNobodyCouldRead) {
  EXPECT_THAT(limit_signals_of_timer("short"), ElementsAre(SIGXCPU, SIGXFSZ));
}

constexpr const char* kLimits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max cpu time              unlimited            unlimited            seconds   \n"
    "Max file size             1048576              2097152              bytes     \n";

bool lowers(rlim_t soft, int resource) {
  const rlimit wanted{soft, RLIM_INFINITY};
  return lowers_limit({reinterpret_cast<const char*>(&wanted), sizeof wanted}, kLimits, resource);
}

TEST(LowersLimit, OnlyBelowWhatItIs) {
  EXPECT_TRUE(lowers(1'048'575, RLIMIT_FSIZE));
  EXPECT_FALSE(lowers(1'048'576, RLIMIT_FSIZE));
  EXPECT_FALSE(lowers(RLIM_INFINITY, RLIMIT_FSIZE));
  EXPECT_TRUE(lowers(1000, RLIMIT_CPU));
  EXPECT_FALSE(lowers(RLIM_INFINITY, RLIMIT_CPU));
}

TEST(LowersLimit, WhatNobodyCouldReadMay) {
  EXPECT_TRUE(lowers_limit("short", kLimits, RLIMIT_FSIZE));
  const rlimit wanted{RLIM_INFINITY, RLIM_INFINITY};
  EXPECT_TRUE(
      lowers_limit({reinterpret_cast<const char*>(&wanted), sizeof wanted}, "", RLIMIT_CPU));
}

}  // namespace
}  // namespace paddock::sandbox
