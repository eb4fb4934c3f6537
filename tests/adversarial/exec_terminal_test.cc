// Terminals of commands that are executed in a run: the sandbox's own, as large as is said, of use
// to nobody outside, and gone with whoever sits at them.
#include <poll.h>
#include <signal.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/contracts/run_exec.h"
#include "common/os/file.h"
#include "node-agent/launch/attached_launch.h"
#include "node-agent/sessions/command.h"
#include "tests/adversarial/serve_fixture.h"
#include "tests/adversarial/sleepers.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxResult;
using contracts::SandboxStatus;
using launch::AttachedLaunch;
using testing::HasSubstr;
using testing::Not;

// A command at its terminal, as an agent holds it.
class Seat {
 public:
  explicit Seat(AttachedLaunch command) : command_(std::move(command)) {}

  // Output until this text stands in it; false: it ended before.
  bool wait_for(std::string_view text) {
    while (out_.find(text) == std::string::npos) {
      if (!turn()) return false;
    }
    out_.erase(0, out_.find(text) + text.size());
    return true;
  }
  // What it wrote from now on to its end.
  std::string rest() {
    while (turn()) {
    }
    return std::exchange(out_, {});
  }
  void type(std::string_view keys) {
    while (command_.terminal_news() >= 0 && turn()) {
    }
    EXPECT_TRUE(os::write_all(command_.talk(), keys).ok());
  }
  void resize(int rows, int columns) { command_.resize({rows, columns}); }
  void leave() { command_.end(); }
  const SandboxResult& result() {
    rest();
    return result_;
  }

 private:
  bool turn() {
    if (!over_ && command_.has_result()) {
      result_ = command_.take_result();
      over_ = true;
    }
    if (over_) return false;
    std::array<pollfd, 2> news = {
        {{command_.events(), POLLIN, 0}, {command_.terminal_news(), POLLIN, 0}}};
    if (poll(news.data(), news.size(), 120'000) < 1) return false;
    if (news[1].revents != 0) command_.take_terminal();
    if (news[0].revents == 0) return true;
    return command_
        .read_events([&](contracts::FrameType, std::string_view bytes) { out_ += bytes; })
        .ok();
  }

  AttachedLaunch command_;
  std::string out_;
  SandboxResult result_;
  bool over_ = false;
};

class ExecTerminal : public ServeTest {
 protected:
  std::string exec_socket() const { return folder() + "/io/exec"; }
  Launched start_run(const std::string& before = "") {
    auto asked = request(
        {"sh", "-c", before + "echo READY; while [ ! -e go ]; do sleep 0.02; done; echo DONE"});
    asked.exec_socket = exec_socket();
    Launched run = start(asked);
    EXPECT_TRUE(run.wait_for_output("READY"));
    return run;
  }
  void end(Launched& run) const {
    EXPECT_TRUE(os::write_file_atomic(workspace() + "/go", "", 0666).ok());
    EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
  }
  Seat sit(std::vector<std::string> command, Millis time = kAmple, int rows = 30,
           int columns = 100) const {
    const contracts::ExecOrder order{.run_uid = "r",
                                     .command_id = "seat",
                                     .command = std::move(command),
                                     .time_ms = time.count(),
                                     .terminal = contracts::TerminalSize{rows, columns}};
    auto begun = ordered([&] {
      return AttachedLaunch::execute(exec_socket(), order, 64 << 20,
                                     AttachedLaunch::Input::kTerminal);
    });
    EXPECT_TRUE(begun.ok()) << (begun.ok() ? "" : begun.error().describe());
    return Seat(std::move(*begun));
  }
  Seat shell(const std::string& script, Millis time = kAmple) const {
    return sit({"sh", "-c", script}, time);
  }
};
INSTANTIATE_TEST_SUITE_P(, ExecTerminal, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ExecTerminal, IsTheSandboxsOwnOfTheSizeThatWasSaid) {
  Launched run = start_run();
  Seat seat = shell(
      "tty; stty size; for f in 0 1 2; do test -t $f || echo no $f; done; "
      "echo $TERM; echo wrong >&2; exit 7");
  EXPECT_EQ(seat.rest(), "/dev/pts/0\r\n30 100\r\nxterm\r\nwrong\r\n");
  EXPECT_EQ(seat.result().status, SandboxStatus::kFailed);
  EXPECT_EQ(seat.result().rc, 7);
  EXPECT_EQ(seat.result().out, "");  // it was shown, and nothing is kept
  EXPECT_GT(seat.result().usage.stdout_bytes, 0);
  end(run);
}

TEST_P(ExecTerminal, HasKeysAndSignalsOfThem) {
  Launched run = start_run();
  Seat seat = shell(
      "read line; echo got $line; trap 'echo caught; exit 3' INT; echo UP; "
      "while :; do sleep 0.05; done");
  seat.type("hello\r");
  EXPECT_TRUE(seat.wait_for("got hello"));
  EXPECT_TRUE(seat.wait_for("UP"));
  seat.type("\x03");
  EXPECT_TRUE(seat.wait_for("caught"));
  EXPECT_EQ(seat.result().rc, 3);
  end(run);
}

TEST_P(ExecTerminal, TellsOfItsNewSize) {
  Launched run = start_run();
  Seat seat = shell("trap 'stty size' WINCH; echo UP; while :; do sleep 0.05; done");
  ASSERT_TRUE(seat.wait_for("UP"));
  seat.resize(11, 222);
  EXPECT_TRUE(seat.wait_for("11 222"));
  seat.resize(4096, 1);
  EXPECT_TRUE(seat.wait_for("4096 1"));
  seat.leave();
  EXPECT_EQ(seat.result().status, SandboxStatus::kCanceled);
  end(run);
}

// One that passes over SIGTERM, as an interactive shell does, ends at the hang-up; one that passes
// over all, and one that was stopped, with its grace.
TEST_P(ExecTerminal, EndsWithWhoeverSitsThere) {
  Launched run = start_run();
  for (const char* how :
       {"trap '' TERM; sleep 4714 & wait", "trap '' TERM HUP; sleep 4714; sleep 4714",
        "setsid sleep 4714 & sleep 4714", "kill -STOP $$; sleep 4714"}) {
    Seat seat = shell(cat("echo UP; ", how));
    ASSERT_TRUE(seat.wait_for("UP")) << how;
    seat.leave();
    EXPECT_EQ(seat.result().status, SandboxStatus::kCanceled) << how;
    EXPECT_TRUE(no_sleep_is_left("4714")) << how;
  }
  end(run);
}

TEST_P(ExecTerminal, EndsAtItsTime) {
  Launched run = start_run();
  Seat seat = shell("trap '' TERM; sleep 4715 & wait", Millis(500));
  EXPECT_EQ(seat.result().status, SandboxStatus::kTimeout);
  EXPECT_TRUE(no_sleep_is_left("4715"));
  end(run);
}

// A terminal that the command itself lets go is still its session's, and does not end it.
TEST_P(ExecTerminal, StaysWhenTheCommandLetsItGo) {
  Launched run = start_run();
  Seat seat = shell("exec <&- >&- 2>&-; sleep 0.5; echo late > /dev/pts/0; exit 5");
  EXPECT_THAT(seat.rest(), HasSubstr("late"));
  EXPECT_EQ(seat.result().rc, 5);
  end(run);
}

// As ssh, gpg and less look for whoever sits there, wherever their streams go.
TEST_P(ExecTerminal, IsDevTtyOfItsOwnCommandAndOfNoOther) {
  Launched run = start_run("sh -c ': < /dev/tty' 2>/dev/null || touch none; ");
  EXPECT_TRUE(os::exists(workspace() + "/none")) << "the run's command has no terminal";
  Seat first = shell("echo UP; read line; echo first $line");
  ASSERT_TRUE(first.wait_for("UP\r\n"));
  Seat second = shell(
      "(printf 'word: ' > /dev/tty; read word < /dev/tty; echo said $word > /dev/tty) < /dev/null "
      "> /dev/null 2>&1; setsid sh -c ': < /dev/tty' 2>/dev/null || echo alone");
  ASSERT_TRUE(second.wait_for("word: "));
  second.type("secret\r");
  EXPECT_EQ(second.rest(), "secret\r\nsaid secret\r\nalone\r\n");
  first.type("typed\r");
  EXPECT_EQ(first.rest(), "typed\r\nfirst typed\r\n");
  end(run);
}

TEST_P(ExecTerminal, LetsNobodyTypeOrTakeItFromAnother) {
  Launched run = start_run();
  Seat first = shell("echo UP; read line; echo first $line");
  ASSERT_TRUE(first.wait_for("UP"));
  Seat second = sit({"python3", "-c",
                     "import fcntl, os, termios\n"
                     "def tried(name, what):\n"
                     "  try: what(); print('BREACH', name)\n"
                     "  except OSError as error: print('refused', name, error.errno)\n"
                     "tried('type', lambda: fcntl.ioctl(0, termios.TIOCSTI, b'y'))\n"
                     "tried('console', lambda: fcntl.ioctl(0, termios.TIOCCONS))\n"
                     "tried('line', lambda: fcntl.ioctl(0, termios.TIOCSETD, b'\\x0d\\0\\0\\0'))\n"
                     "other = os.open('/dev/pts/0', os.O_RDWR | os.O_NOCTTY)\n"
                     "tried('steal', lambda: fcntl.ioctl(other, termios.TIOCSCTTY, 1))\n"
                     "tried('type there', lambda: fcntl.ioctl(other, termios.TIOCSTI, b'y'))\n"
                     "tried('group', lambda: os.tcsetpgrp(other, os.getpgrp()))\n"
                     "print('END')\n"});
  const std::string said = second.rest();
  EXPECT_THAT(said, HasSubstr("END"));
  EXPECT_THAT(said, Not(HasSubstr("BREACH")));
  first.type("typed\r");
  EXPECT_TRUE(first.wait_for("first typed"));
  EXPECT_EQ(first.result().rc, 0);
  end(run);
}

TEST_P(ExecTerminal, IsOneOfFewAndSaysSoWhereNoneIsLeft) {
  Launched run = start_run(
      "python3 -c 'import os, time\n"
      "try:\n"
      "  while True: os.open(\"/dev/ptmx\", os.O_RDWR | os.O_NOCTTY)\n"
      "except OSError: open(\"taken\", \"w\").close()\n"
      "while not os.path.exists(\"free\"): time.sleep(0.02)' & "
      "while [ ! -e taken ]; do sleep 0.02; done; ");
  Seat none = shell("touch begun");
  EXPECT_EQ(none.result().status, SandboxStatus::kLimitExceeded);
  EXPECT_EQ(none.result().code, "E_LIMIT_TERMINALS");
  EXPECT_FALSE(os::exists(workspace() + "/begun"));
  EXPECT_TRUE(os::write_file_atomic(workspace() + "/free", "", 0666).ok());
  SandboxResult later;
  for (int i = 0; i < 10'000 && later.status != SandboxStatus::kOk; ++i) {
    later = shell("true").result();
    poll(nullptr, 0, 20);
  }
  EXPECT_EQ(later.status, SandboxStatus::kOk) << later.reason;
  end(run);
}

TEST_P(ExecTerminal, HasNothingElseOpen) {
  Launched run = start_run();
  Seat seat = shell("ls -l /proc/self/fd | sed 1d");
  const std::string open = seat.rest();
  EXPECT_THAT(open, Not(HasSubstr("ptmx")));
  EXPECT_THAT(open, Not(HasSubstr("socket:")));
  EXPECT_THAT(open, HasSubstr("0 -> /dev/pts/0"));
  end(run);
}

// More than any terminal shows: all of it comes, in order.
TEST_P(ExecTerminal, ShowsAllThatIsWritten) {
  Launched run = start_run();
  Seat seat = shell("stty -opost; seq 200000");
  const std::string out = seat.rest();
  std::string wanted;
  for (int i = 1; i <= 200'000; ++i) wanted += cat(i, "\n");
  EXPECT_TRUE(out == wanted) << out.size();
  EXPECT_EQ(seat.result().status, SandboxStatus::kOk);
  EXPECT_FALSE(seat.result().truncated.out);
  end(run);
}

// Input that nobody reads does not hold up the end.
TEST_P(ExecTerminal, TakesInputThatNobodyReads) {
  Launched run = start_run();
  const contracts::ExecOrder deaf{.run_uid = "r",
                                  .command_id = "deaf",
                                  .command = {"sh", "-c", "stty raw -echo; sleep 2; exit 4"},
                                  .time_ms = kAmple.count(),
                                  .terminal = contracts::TerminalSize{}};
  auto begun = ordered([&] {
    return AttachedLaunch::execute(exec_socket(), deaf, 64 << 20, AttachedLaunch::Input::kTerminal);
  });
  ASSERT_TRUE(begun.ok()) << begun.error().describe();
  sessions::LiveInput input(true, true);
  const std::string much(contracts::run_exec::kMostPieceBytes, 'x');
  for (int i = 1; i <= 2; ++i) ASSERT_TRUE(input.add({i, base64(much), false, {}}).ok());
  EXPECT_EQ(input.add({3, base64(much), false, {}}).error().reason, "INPUT_WAITS");
  const auto result =
      sessions::follow(*begun, {.wall_time = kAmple, .live = &input}, SystemClock());
  ASSERT_TRUE(result.ok()) << result.error().describe();
  EXPECT_EQ(result->rc, 4);
  end(run);
}

}  // namespace
}  // namespace paddock::adversarial
