// Whether the store's file is whole. Looking takes as long as reading all of it, so a large one is
// looked at while it is in use already.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "common/base/guarded.h"
#include "controller/store/sqlite/connection.h"

namespace paddock::store::sqlite {

// STORE_CORRUPT, with the first thing that is wrong. Any connection.
Status check_sound(Connection& db);
// The error that tells an operator of the damage, with SQLite's words.
Error corrupt(const Error& cause);

// Looks once, on a thread and a connection of its own, until its end at the latest. All that is
// written meanwhile stays in the log beside the file.
class SoundnessCheck {
 public:
  explicit SoundnessCheck(std::string path);
  ~SoundnessCheck();
  SoundnessCheck(const SoundnessCheck&) = delete;
  SoundnessCheck& operator=(const SoundnessCheck&) = delete;

  // STORE_CORRUPT once damage was found. Any thread.
  Status so_far() const;

 private:
  void look();
  Status verdict();

  struct State {
    sqlite3* asking = nullptr;
    bool done = false;
  };
  const std::string path_;
  std::atomic<bool> damaged_{false};
  std::atomic<bool> stopping_{false};
  Guarded<State> state_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace paddock::store::sqlite
