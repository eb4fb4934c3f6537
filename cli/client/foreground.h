// Ctrl-C on a foreground run: the first cancels the run and waits for its end, the second has it
// killed, the third leaves. A terminal that is closed leaves it to itself.
#pragma once

#include <atomic>
#include <memory>

#include "cli/client/run_end.h"
#include "cli/terminal/env.h"
#include "cli/terminal/interrupt.h"

namespace paddock::cli {

// From its start until destroyed. Before created() there is nothing to cancel: Ctrl-C just leaves.
class Foreground {
 public:
  static Result<std::unique_ptr<Foreground>> start(const http::Endpoint& endpoint, RunRef run,
                                                   const Env& env);

  void creating() { state_ = State::kCreating; }
  // The run exists now. Cancels it if that was asked for in between.
  void created();
  bool interrupted() const { return asked_ > 0; }

 private:
  enum class State { kPreparing, kCreating, kCreated };
  Foreground(const http::Endpoint& endpoint, RunRef run, const Env& env)
      : endpoint_(endpoint), run_(std::move(run)), env_(env) {}
  void on_signal(int signal, int count);
  void leave();  // once the run exists, or if it never will
  void cancel();

  http::Endpoint endpoint_;
  RunRef run_;
  const Env& env_;
  std::atomic<State> state_{State::kPreparing};
  std::atomic<int> asked_{0};
  std::atomic<bool> left_{false};
  std::unique_ptr<Interrupts> interrupts_;  // last: its thread uses the rest
};

}  // namespace paddock::cli
