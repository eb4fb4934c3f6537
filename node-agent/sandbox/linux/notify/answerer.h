// Decides which thread answers a run's questions (notifications.h). The supervisor does, until the
// first question whose answer may have to wait for the asker: that one and all later ones go to a
// thread of their own. So the command can only hold up that thread. If the run ends meanwhile, the
// thread is left behind; it ends by itself when the asker's memory is gone.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "common/os/event.h"
#include "node-agent/sandbox/linux/notify/notifications.h"

namespace paddock::sandbox {

class Answerer {
 public:
  // `clock` must live as long as the process, because a thread may be left behind.
  Answerer(std::unique_ptr<Notifications> notifications, const Clock& clock);
  ~Answerer() { stop(); }
  Answerer(const Answerer&) = delete;
  Answerer& operator=(const Answerer&) = delete;

  // Readable when there is a question; with a thread, when that thread holds an exit. -1: neither
  // can be.
  int fd(MonoTime now) const;
  std::optional<MonoTime> rests_until(MonoTime now) const;
  // Call it after the poll, with what that returned.
  void handle(short seen, MonoTime now);
  // Ends the answering. Returns soon, whatever the thread is waiting for.
  void stop();
  // Call it after stop(). Invalid if the thread was left behind: then the thread keeps the
  // listener.
  os::Fd take_listener();

  // May be asked for what was found at any time.
  Notifications& found() { return *shared_->notifications; }

 private:
  // Shared with the thread, which may outlive this object.
  struct Shared {
    std::unique_ptr<Notifications> notifications;
    const Clock& clock;
    Notifications::Question first;
    std::optional<os::Event> stop;  // with a thread, as the next
    std::optional<os::Event> news;  // an exit is held
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
