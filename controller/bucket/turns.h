// Lets one caller at a time work on each name; others wait. Thread-safe.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

namespace paddock::bucket {

class Turns {
 public:
  class Turn {
   public:
    Turn(Turns& all, std::string name) : all_(all), name_(std::move(name)) {}
    ~Turn() { all_.end(name_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Turns& all_;
    const std::string name_;
  };
  Turn begin(const std::string& name) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return taken_.insert(name).second; });
    return {*this, name};
  }

 private:
  void end(const std::string& name) {
    {
      const std::lock_guard lock(mutex_);
      taken_.erase(name);
    }
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> taken_;
};

}  // namespace paddock::bucket
