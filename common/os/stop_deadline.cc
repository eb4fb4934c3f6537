#include "common/os/stop_deadline.h"

#include <unistd.h>

#include <future>
#include <memory>
#include <utility>

#include "common/base/log.h"
#include "common/base/start_thread.h"

namespace paddock::os {

StopDeadline::StopDeadline(Millis limit) : limit_(limit), thread_([this] { watch(); }) {}

StopDeadline::~StopDeadline() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StopDeadline::begin(int exit_code) {
  {
    const std::lock_guard lock(mutex_);
    if (!exit_code_) exit_code_ = exit_code;
  }
  changed_.notify_all();
}

void StopDeadline::watch() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return exit_code_ || over_; });
  if (changed_.wait_for(lock, limit_, [this] { return over_; })) return;
  const int code = *exit_code_;
  lock.unlock();
  leave(code);
}

// A line of the log may be for the same disk: so another thread says all of it, and is not waited
// for without end either.
void StopDeadline::leave(int exit_code) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> said = done->get_future();
  auto speaking = start_thread([this, done] {
    last_words_.with([](const std::function<void()>& say) {
      if (say) say();
    });
    log_warn(
        "stopping takes too long, as on a disk that does not answer; this process ends as it "
        "is, and the next one goes on from what is written");
    done->set_value();
  });
  if (speaking) {
    speaking->detach();
    said.wait_for(kLastWords);
  }
  ::_exit(exit_code);
}

StopDeadline::LastWords::LastWords(StopDeadline& deadline, std::function<void()> say)
    : deadline_(deadline) {
  deadline_.last_words_.with([&](std::function<void()>& kept) { kept = std::move(say); });
}

StopDeadline::LastWords::~LastWords() {
  deadline_.last_words_.with([](std::function<void()>& kept) { kept = nullptr; });
}

}  // namespace paddock::os
