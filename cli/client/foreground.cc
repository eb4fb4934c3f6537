#include "cli/client/foreground.h"

#include <signal.h>
#include <unistd.h>

#include "cli/client/watching.h"
#include "cli/terminal/exit_codes.h"

namespace paddock::cli {
namespace {

constexpr int kExitHungUp = 128 + SIGHUP;

}  // namespace

Result<std::unique_ptr<Foreground>> Foreground::start(const http::Endpoint& endpoint, RunRef run,
                                                      const Env& env) {
  std::unique_ptr<Foreground> self(new Foreground(endpoint, std::move(run), env));
  ASSIGN_OR_RETURN(self->interrupts_, Interrupts::start([raw = self.get()](int signal, int count) {
                     raw->on_signal(signal, count);
                   }));
  return self;
}

// Nobody may press Ctrl-C any more while its threads are waited for.
Foreground::~Foreground() {
  interrupts_.reset();
  for (std::thread& each : threads_) each.join();
}

void Foreground::on_signal(int signal, int count) {
  // A terminal that was closed is a lost connection, and that ends no run.
  if (signal == SIGHUP) return leave();
  if (count > 2 || state_ == State::kPreparing) ::_exit(kExitInterrupted);
  asked_ = count;
  if (state_ == State::kCreated) cancel();
}

void Foreground::leave() {
  left_ = true;
  if (state_ != State::kCreating) ::_exit(kExitHungUp);
}

void Foreground::created() {
  state_ = State::kCreated;
  if (left_) ::_exit(kExitHungUp);
  if (interrupted()) cancel();
}

void Foreground::cancel() {
  const bool at_once = asked_ > 1;
  env_.say(at_once ? cat("\nkilling run ", run_.name, "; once more to leave it to itself")
                   : cat("\ncanceling run ", run_.name, "; once more to kill it at once"));
  give_up();  // it asked for less
  const std::lock_guard lock(mutex_);
  asking_ = std::make_shared<client::ControllerClient>(endpoint_, env_.patience);
  say_when_waiting(*asking_, env_);
  threads_.emplace_back([this, at_once, client = asking_] {
    const Status canceled = client->cancel_run(run_.name_space, run_.name, at_once);
    const std::lock_guard still(mutex_);
    if (!canceled.ok() && asking_ == client)
      env_.say(cat("could not cancel: ", canceled.error().message));
  });
}

void Foreground::give_up() {
  const std::lock_guard lock(mutex_);
  if (asking_) asking_->abort();
  asking_.reset();
}

}  // namespace paddock::cli
