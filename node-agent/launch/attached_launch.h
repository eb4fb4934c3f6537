// An attached run as its client holds it: ordered, perhaps long before it is needed, begun once,
// followed to its result. It ends with this object. One thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/contracts/launch.h"
#include "common/os/process.h"
#include "node-agent/launch/order.h"

namespace paddock::launch {

// Unavailable, LAUNCHER_LOST: it ended without a result.
Error launcher_lost();
// DeadlineExceeded, NO_ANSWER: its time is long over, and nothing is heard of it.
Error no_answer();

class AttachedLaunch {
 public:
  using OnOutput = std::function<void(contracts::FrameType, std::string_view)>;

  // Orders a launch; errors as order_launch(). `max_result`: bytes of the result's document.
  static Result<AttachedLaunch> order(const std::string& socket,
                                      const contracts::LaunchRequest& request, size_t max_result);
  // Ahead: before the last argument of its command is known.
  static Result<AttachedLaunch> prelaunch(const std::string& socket,
                                          const contracts::LaunchRequest& request,
                                          size_t max_result);
  // A command in a run that runs: it has begun when this returns. `socket`: the run's own, the
  // `execSocket` of its request. FailedPrecondition, RUN_NOT_RUNNING, where nobody listens there
  // any more; ResourceExhausted, TOO_MANY_COMMANDS. `input`: what is written to talk() is the
  // command's standard input, its end once that is closed; else its input is empty. The order has
  // none of it. kTerminal: it has the order's terminal, and talk() is its other end once
  // take_terminal() has it. RUN_EXEC_UNSUPPORTED: the launcher is of a release without terminals.
  enum class Input { kNone, kPipe, kTerminal };
  static Result<AttachedLaunch> execute(const std::string& socket,
                                        const contracts::ExecOrder& order, size_t max_result,
                                        Input input = Input::kNone);

  // The wall time passes from now on. One that has ended already says in its result why.
  void begin(Millis wall_time) { (void)begin_attached(launched_, wall_time); }
  // Begins the prelaunched command; errors as begin_prelaunched(). `shown`: all of its output
  // comes, and none is in its result.
  Status begin(Millis wall_time, std::string_view last_argument, bool shown = false) {
    return begin_prelaunched(launched_, wall_time, last_argument, shown);
  }
  // The launcher ends it; its result still comes. A launcher that was stopped is told to go on.
  void end();
  // Like end(), without the rest of the grace. A command in a run has no grace, so for it both are
  // the same.
  void kill();
  // For a launch whose time is long over without a result: tells a launcher that stands still to go
  // on; destroy() kills it. False: it is gone, or belongs to the run.
  bool wake();
  void destroy();
  bool ended() const;
  // While it has not ended; 0 of a command in a run: that launcher is the run's.
  pid_t launcher() const { return launched_.launcher; }

  // The other end of the program's standard input; it does not block. -1: ordered ahead, executed
  // without input, or closed.
  int talk() const { return talk_.get(); }
  void close_talk() { talk_.reset(); }
  // Readable when take_terminal() has something to do; -1: it waits for no terminal.
  int terminal_news() const { return awaits_terminal_ ? launched_.connection.get() : -1; }
  void take_terminal();
  bool has_terminal() const { return has_terminal_; }
  // Sets the size of its terminal, if there is one by then; the programs there get SIGWINCH.
  void resize(const contracts::TerminalSize& size);

  // Readable when read_events() has something to do; it does not block.
  int events() const { return events_.get(); }
  // True: the result is there. Output comes as it was read. LAUNCHER_LOST, or what is wrong with
  // what the launcher wrote.
  Result<bool> read_events(const OnOutput& on_output = {});
  bool has_result() const { return result_.has_value(); }
  // Once, when it is there; it is not there any more then.
  contracts::SandboxResult take_result() {
    frames_ = {};  // which repeat it
    return *std::exchange(result_, std::nullopt);
  }

 private:
  explicit AttachedLaunch(size_t max_result) : max_result_(max_result) {}
  template <class Order>
  Status place(const std::string& socket, const Order& order, OrderFiles files);
  Status take(const contracts::Frame& frame, const OnOutput& on_output);

  bool signal(int number);

  size_t max_result_;
  Launched launched_;
  std::optional<os::ProcessIdentity> left_;  // the launcher, once there is no connection
  os::Fd talk_;
  bool awaits_terminal_ = false;
  bool has_terminal_ = false;
  os::Fd events_;
  std::string frames_;
  std::optional<contracts::SandboxResult> result_;
};

}  // namespace paddock::launch
