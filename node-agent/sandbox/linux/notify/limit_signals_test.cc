#include "node-agent/sandbox/linux/notify/limit_signals.h"

#include <signal.h>

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

}  // namespace
}  // namespace paddock::sandbox
