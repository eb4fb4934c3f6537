// What a run finishes while it lives.
#include <fcntl.h>

#include "common/crypto/digest.h"
#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

using contracts::RunPhase;
using testing::ElementsAre;

class Finishing : public Life {
 protected:
  void start() {
    look_while_it_lives();
    behave("wait");
    running = start_running();
    ASSERT_TRUE(os::make_dirs(out()).ok());
  }
  void end() {
    ASSERT_TRUE(os::write_file_atomic(base + "/go", "").ok());
    running.wait();
  }
  std::string out(const std::string& name = "") const {
    return cat(folder().workspace(), "/out/", name);
  }
  static void write(const std::string& path, std::string_view text) {
    ASSERT_TRUE(os::replace_file(path, text).ok());
  }
  std::future<void> running;
};

// proves partly: ORB-148
TEST_F(Finishing, AFileIsSentOnceForEachStateInWhichItIsFinished) {
  start();
  write(out("model.bin"), "first");
  EXPECT_EQ(finished.wait_for("out/model.bin").digest, crypto::sha256_hex("first"));
  write(out("model.bin"), "second");
  EXPECT_EQ(finished.wait_for("out/model.bin", 2).digest, crypto::sha256_hex("second"));
  end();
  EXPECT_EQ(last_outcome().phase, RunPhase::kSucceeded);
  EXPECT_EQ(last_outcome().artifacts.size(), 2u);
  // The end sends what is new alone.
  EXPECT_THAT(uploads, ElementsAre("out/model.bin", "out/model.bin", "out/result.json"));
}

TEST_F(Finishing, WhatIsOpenForWritingIsNotFinished) {
  start();
  const os::Fd open(::open(out("log.txt").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_TRUE(os::write_all(open.get(), "half").ok());
  // Files are looked at together: two rounds of another one are two looks at this one.
  for (size_t i = 1; i <= 3; ++i) {
    write(out("other.bin"), cat(i));
    (void)finished.wait_for("out/other.bin", i);
  }
  EXPECT_EQ(finished.times("out/log.txt"), 0u);
  end();
  EXPECT_EQ(std::ranges::count(uploads, "out/log.txt"), 1);
}

TEST_F(Finishing, TheNextAgentSendsNothingAgain) {
  start();
  write(out("model.bin"), "first");
  (void)finished.wait_for("out/model.bin");
  life->stop(StopKind::kDetach);
  running.wait();
  ASSERT_EQ(uploads.size(), 1u);
  const auto next = recover();
  running = std::async(std::launch::async, [&] { next->run(); });
  write(out("later.bin"), "x");
  (void)finished.wait_for("out/later.bin");
  end();
  EXPECT_THAT(uploads, ElementsAre("out/model.bin", "out/later.bin", "out/result.json"));
}

TEST_F(Finishing, ACommandThatWritesWithoutEndSpendsItsAllowanceAndNoMore) {
  config.finished = {.bytes = int64_t{3} << 20, .bytes_an_hour = 0};
  start();
  for (size_t i = 1; i <= 3; ++i) {
    write(out("loop.bin"), cat(i));
    (void)finished.wait_for("out/loop.bin", i);
  }
  write(out("loop.bin"), "beyond");
  end();
  EXPECT_EQ(std::ranges::count(uploads, "out/loop.bin"), 4);  // the last one at its end
  EXPECT_EQ(last_outcome().artifacts.size(), 2u);
}

}  // namespace
}  // namespace paddock::executor
