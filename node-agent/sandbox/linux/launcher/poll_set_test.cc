#include "node-agent/sandbox/linux/launcher/poll_set.h"

#include <unistd.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/os/fd.h"

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;

class PollSets : public testing::Test {
 protected:
  static os::Pipe make_pipe(bool readable) {
    auto pipe = os::make_pipe();
    if (readable) {
      EXPECT_TRUE(os::write_all(pipe->write.get(), "x").ok());
    }
    return std::move(*pipe);
  }
  std::function<void(short)> note(const char* name) {
    return [this, name](short) { called_.emplace_back(name); };
  }

  const os::Pipe ready_ = make_pipe(true);
  const os::Pipe also_ready_ = make_pipe(true);
  const os::Pipe quiet_ = make_pipe(false);
  std::vector<std::string> called_;
};

TEST_F(PollSets, CallWhatIsReadyInTheOrderOfAdding) {
  PollSet set;
  set.add(also_ready_.read.get(), POLLIN, note("second pipe"));
  set.add(quiet_.read.get(), POLLIN, note("quiet"));
  set.add(-1, POLLIN, note("none"));
  set.add(ready_.read.get(), POLLIN, note("first pipe"));
  set.wait(0);
  set.call_ready();
  EXPECT_THAT(called_, ElementsAre("second pipe", "first pipe"));
}

TEST_F(PollSets, EndTheWaitForOneThatNobodyIsCalledFor) {
  PollSet set;
  set.add(ready_.read.get(), POLLIN, nullptr);
  set.wait(-1);
  set.call_ready();
}

TEST_F(PollSets, ShowAGroupAllOfItsDescriptorsAfterEachWait) {
  PollSet set;
  std::vector<short> seen;
  const auto look = [&](const std::array<pollfd, 3>& fds) {
    for (const pollfd& each : fds) seen.push_back(each.revents);
  };
  set.add(quiet_.read.get(), POLLIN, note("quiet"));
  set.add_group(
      std::array<pollfd, 3>{
          {{quiet_.read.get(), POLLIN, 0}, {-1, POLLIN, 0}, {ready_.read.get(), POLLIN, 0}}},
      look);
  set.add(also_ready_.read.get(), POLLIN, note("behind the group"));
  set.wait(0);
  set.call_ready();
  EXPECT_THAT(seen, ElementsAre(0, 0, POLLIN));
  EXPECT_THAT(called_, ElementsAre("behind the group"));
}

TEST_F(PollSets, LookAtAGroupAlsoWhenNothingHappened) {
  PollSet set;
  bool looked = false;
  set.add_group(std::array<pollfd, 1>{{{quiet_.read.get(), POLLIN, 0}}},
                [&](const auto& fds) { looked = fds[0].revents == 0; });
  set.wait(0);
  set.call_ready();
  EXPECT_TRUE(looked);
}

TEST_F(PollSets, LetAFunctionCloseADescriptorThatComesLater) {
  PollSet set;
  os::Pipe later = make_pipe(true);
  short seen = 0;
  set.add(ready_.read.get(), POLLIN, [&](short) { later.read.reset(); });
  set.add(later.read.get(), POLLIN, [&](short events) { seen = events; });
  set.wait(0);
  set.call_ready();
  EXPECT_EQ(seen, POLLIN);
}

}  // namespace
}  // namespace paddock::sandbox
