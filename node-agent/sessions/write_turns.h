// Who writes next into a run's or a session's files. Whoever counts the room that is left writes
// alone there until the file is whole: two would count the same room. Thread-safe.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <string>

namespace paddock::sessions {

class WriteTurns {
 public:
  // Waits for those who write to `uid`, and now and then to another.
  [[nodiscard]] std::unique_lock<std::mutex> take(const std::string& uid) {
    return std::unique_lock(turns_[std::hash<std::string>()(uid) % turns_.size()]);
  }

 private:
  std::array<std::mutex, 16> turns_;
};

}  // namespace paddock::sessions
