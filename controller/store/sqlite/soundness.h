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
// What an operator is told of that, with what SQLite said.
Error corrupt(const Error& cause);

// Looks once, on a thread and a connection of its own. Its end waits for that, if SQLite does not
// let itself be interrupted.
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

  const std::string path_;
  std::atomic<bool> damaged_{false};
  Guarded<sqlite3*> asking_{nullptr};
  std::thread thread_;
};

}  // namespace paddock::store::sqlite
