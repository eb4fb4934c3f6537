// Lets one caller at a time write into the files of a run or a session. The caller that counts the
// room that is left writes alone until the file is whole: two would count the same room.
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace paddock::files {

class WriteTurns {
 public:
  class Turn {
   public:
    explicit Turn(std::shared_ptr<std::mutex> turn) : turn_(std::move(turn)), held_(*turn_) {}
    Turn(Turn&&) = default;
    Turn& operator=(Turn&&) = delete;

   private:
    std::shared_ptr<std::mutex> turn_;
    std::unique_lock<std::mutex> held_;
  };
  // Waits for those who write to `uid`, and for nobody else: counting takes as long as the owner of
  // the files likes.
  [[nodiscard]] Turn take(const std::string& uid) { return Turn(turn_of(uid)); }

 private:
  std::shared_ptr<std::mutex> turn_of(const std::string& uid) {
    const std::scoped_lock alone(mutex_);
    std::erase_if(turns_, [](const auto& each) { return each.second.expired(); });
    auto turn = turns_[uid].lock();
    if (!turn) turns_[uid] = turn = std::make_shared<std::mutex>();
    return turn;
  }

  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<std::mutex>> turns_;  // of those who write or wait
};

}  // namespace paddock::files
