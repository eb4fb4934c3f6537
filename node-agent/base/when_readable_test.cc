#include "node-agent/base/when_readable.h"

#include <future>

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

TEST(WhenReadable, TellsOfWhatCanBeReadAlreadyOrLater) {
  os::Event there;
  there.raise();
  std::promise<void> first;
  const WhenReadable already(there.fd(), [&] { first.set_value(); });
  first.get_future().wait();

  os::Event later;
  std::promise<void> second;
  const WhenReadable waiting(later.fd(), [&] { second.set_value(); });
  later.raise();
  second.get_future().wait();
}

TEST(WhenReadable, EndsUnreadWithoutTelling) {
  const os::Event never;
  bool told = false;
  {
    const WhenReadable waiting(never.fd(), [&] { told = true; });
  }
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace paddock::agent
