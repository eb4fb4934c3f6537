// Ctrl-C on a foreground run: the first cancels the run and waits for its end, the second has it
// killed, the third leaves, though nobody answers meanwhile. A terminal that is closed leaves it to
// itself.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/client/run_end.h"
#include "cli/terminal/env.h"
#include "cli/terminal/interrupt.h"

namespace paddock::cli {

// From its start until destroyed. Before created() there is nothing to cancel: Ctrl-C just leaves.
class Foreground {
 public:
  static Result<std::unique_ptr<Foreground>> start(const http::Endpoint& endpoint, RunRef run,
                                                   const Env& env);
  ~Foreground();
  Foreground(const Foreground&) = delete;
  Foreground& operator=(const Foreground&) = delete;

  void creating() { state_ = State::kCreating; }
  // The run exists now. Cancels it if that was asked for in between.
  void created();
  // How it ended is known, and nothing is left to be canceled.
  void ended() { give_up(); }
  bool interrupted() const { return asked_ > 0; }

 private:
  enum class State { kPreparing, kCreating, kCreated };
  Foreground(const http::Endpoint& endpoint, RunRef run, const Env& env)
      : endpoint_(endpoint), run_(std::move(run)), env_(env) {}
  void on_signal(int signal, int count);
  void leave();    // once the run exists, or if it never will
  void cancel();   // asks in a thread of its own, as long as there is patience
  void give_up();  // the asking

  http::Endpoint endpoint_;
  RunRef run_;
  const Env& env_;
  std::atomic<State> state_{State::kPreparing};
  std::atomic<int> asked_{0};
  std::atomic<bool> left_{false};
  std::mutex mutex_;
  std::shared_ptr<client::ControllerClient>
      asking_;  // the latest of cancel(), until it is given up
  std::vector<std::thread> threads_;
  std::unique_ptr<Interrupts> interrupts_;
};

}  // namespace paddock::cli
