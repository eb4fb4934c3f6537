// A program that was asked to stop ends, whatever keeps its threads: a disk that answers nothing
// would keep it for as long. What is not written by then is found at the next start as after a
// kill.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "common/base/guarded.h"
#include "common/base/time.h"

namespace paddock::os {

// Made before all that it must not wait for. Thread-safe.
class StopDeadline {
 public:
  explicit StopDeadline(Millis limit);
  ~StopDeadline();  // the program has stopped in time
  StopDeadline(const StopDeadline&) = delete;
  StopDeadline& operator=(const StopDeadline&) = delete;

  // The time counts from the first call on. At its end the last words are said, for which there are
  // kLastWords, and this process exits with the first call's code.
  void begin(int exit_code = 0);

  static constexpr Millis kLastWords{5'000};

  // What is said if the time comes to its end while this is there. It must wait for no lock that a
  // thread holds which waits for a disk.
  class LastWords {
   public:
    LastWords(StopDeadline& deadline, std::function<void()> say);
    ~LastWords();  // waits while they are being said
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

   private:
    StopDeadline& deadline_;
  };

 private:
  void watch();
  [[noreturn]] void leave(int exit_code);

  const Millis limit_;
  Guarded<std::function<void()>> last_words_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<int> exit_code_{};  // once begun
  bool over_ = false;
  std::thread thread_;
};

}  // namespace paddock::os
