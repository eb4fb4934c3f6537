// Who answers a run's questions (notifications.h): the supervisor, until the first one whose answer
// may have to wait for the asker; that one and all after it are answered by a thread. What the
// asker's threads hold up is then this thread alone, and it is left behind if the run ends
// meanwhile: it comes loose when the asker's memory is gone.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "node-agent/sandbox/linux/notify/notifications.h"

namespace paddock::sandbox {

class Answerer {
 public:
  // `clock` outlives this process's last run.
  Answerer(std::unique_ptr<Notifications> notifications, const Clock& clock);
  ~Answerer() { stop(); }
  Answerer(const Answerer&) = delete;
  Answerer& operator=(const Answerer&) = delete;

  // To poll for POLLIN: a question, or with a thread, news of it; -1 while there is nothing.
  int fd(MonoTime now) const;
  std::optional<MonoTime> rests_until(MonoTime now) const;
  // After the poll.
  void handle(short seen, MonoTime now);
  // No question is answered any more. Returns soon, whatever the thread is waiting for.
  void stop();
  // After stop(); invalid if the thread was left behind: it keeps it, for as long as it needs it.
  os::Fd take_listener();

  // What was found; at any time.
  Notifications& found() { return *shared_->notifications; }

 private:
  // Outlives this object where the thread does.
  struct Shared {
    std::unique_ptr<Notifications> notifications;
    const Clock& clock;
    Notifications::Question first;
    os::Fd stop;  // an eventfd
    os::Fd news;  // an eventfd: an exit is held
    std::mutex lock;
    std::condition_variable ends;
    bool ended = false;
  };
  bool hand_over(const Notifications::Question& first);
  static void* serve(void* shared);
  static void serve_questions(Shared& shared);

  std::shared_ptr<Shared> shared_;
  pthread_t thread_{};
  bool has_thread_ = false;
  bool left_behind_ = false;
};

}  // namespace paddock::sandbox
