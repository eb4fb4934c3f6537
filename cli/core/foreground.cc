#include "cli/core/foreground.h"

#include <unistd.h>

#include "cli/core/exit_codes.h"

namespace paddock::cli {

Result<std::unique_ptr<Foreground>> Foreground::start(const http::Endpoint& endpoint, RunRef run,
                                                      const Env& env) {
  std::unique_ptr<Foreground> self(new Foreground(endpoint, std::move(run), env));
  ASSIGN_OR_RETURN(self->interrupts_, Interrupts::start([raw = self.get()](int, int count) {
                     raw->on_signal(count);
                   }));
  return self;
}

void Foreground::on_signal(int count) {
  if (count > 1 || state_ == State::kPreparing) ::_exit(kExitInterrupted);
  interrupted_ = true;
  if (state_ == State::kCreated) cancel();
}

void Foreground::created() {
  state_ = State::kCreated;
  if (interrupted_) cancel();
}

void Foreground::cancel() {
  env_.say(cat("\ncanceling run ", run_.name, "; once more to leave it to itself"));
  client::ControllerClient client(endpoint_);
  const Status canceled = client.cancel_run(run_.name_space, run_.name);
  if (!canceled.ok()) env_.say(cat("could not cancel: ", canceled.error().message));
}

}  // namespace paddock::cli
