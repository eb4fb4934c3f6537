// For this module's tests: answers that are made by steps, of every kind.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "controller/http_server/http_message.h"

namespace paddock::http_server {

// A text that grows, and wakers for its readers: a small store with its notifier.
class Feed {
 public:
  using WakerPtr = std::shared_ptr<Waker>;
  void say(std::string_view more) {
    std::set<WakerPtr> told;
    {
      std::lock_guard lock(mutex_);
      text_ += more;
      told.swap(listening_);
    }
    for (const WakerPtr& waker : told) waker->wake();
  }
  std::string after(size_t at) {
    std::lock_guard lock(mutex_);
    return text_.substr(at);
  }
  size_t size() {
    std::lock_guard lock(mutex_);
    return text_.size();
  }
  void listen(size_t at, const WakerPtr& waker) {
    {
      std::lock_guard lock(mutex_);
      if (text_.size() == at) return (void)listening_.insert(waker);
    }
    waker->wake();
  }
  void forget(const WakerPtr& waker) {
    std::lock_guard lock(mutex_);
    listening_.erase(waker);
  }
  size_t listening() {
    std::lock_guard lock(mutex_);
    return listening_.size();
  }

 private:
  std::mutex mutex_;
  std::string text_;
  std::set<WakerPtr> listening_;
};

// Reads a feed from its beginning, until it says "end".
class Reading final : public Steps {
 public:
  explicit Reading(Feed& feed) : feed_(feed) {}
  ~Reading() override {
    if (waker_) feed_.forget(waker_);
  }
  Next step(ResponseStream& out, const std::shared_ptr<Waker>& waker) override {
    constexpr Millis kHour{3'600'000};
    const std::string news = feed_.after(at_);
    out.write(news);
    at_ += news.size();
    if (news.ends_with("end")) return {Then::kEnd};
    feed_.listen(at_, waker_ = waker);
    return {Then::kWait, kHour};
  }

 private:
  Feed& feed_;
  std::shared_ptr<Waker> waker_;
  size_t at_ = 0;
};

// Says a piece at each step: as soon as it may, or, with a pause, after it and without being woken.
class Counting final : public Steps {
 public:
  Counting(size_t pieces, size_t bytes, Millis pause)
      : pieces_(pieces), bytes_(bytes), pause_(pause) {}
  Next step(ResponseStream& out, const std::shared_ptr<Waker>&) override {
    out.write(std::string(bytes_, static_cast<char>('a' + said_ % 26)));
    if (++said_ == pieces_) return {Then::kEnd};
    return {pause_ > Millis(0) ? Then::kWait : Then::kAgain, pause_};
  }
  bool may_end_early() const override { return false; }

 private:
  const size_t pieces_;
  const size_t bytes_;
  const Millis pause_;
  size_t said_ = 0;
};

// Computes, once the feed says something, until it says "end".
class Computing final : public Steps {
 public:
  explicit Computing(Feed& feed) : feed_(feed) {}
  ~Computing() override {
    if (waker_) feed_.forget(waker_);
  }
  Next step(ResponseStream& out, const std::shared_ptr<Waker>& waker) override {
    constexpr Millis kHour{3'600'000};
    if (!std::exchange(waker_, waker)) return feed_.listen(0, waker), Next{Then::kWait, kHour};
    while (!feed_.after(0).ends_with("end") && out.open()) std::this_thread::yield();
    return {Then::kEnd};
  }

 private:
  Feed& feed_;
  std::shared_ptr<Waker> waker_;
};

// Asks once the feed says something, and is answered when that says "end".
class Asking final : public Steps {
 public:
  explicit Asking(Feed& feed) : feed_(feed) {}
  ~Asking() override {
    if (waker_) feed_.forget(waker_);
  }
  Next step(ResponseStream& out, const std::shared_ptr<Waker>& waker) override {
    constexpr Millis kHour{3'600'000};
    if (!std::exchange(waker_, waker)) return feed_.listen(0, waker), Next{Then::kWait, kHour};
    if (asked_) return out.write("!"), Next{Then::kEnd};
    out.write("?");
    return {Then::kAsk};
  }
  Next ask(ResponseStream& out) override {
    while (!feed_.after(0).ends_with("end") && out.open()) std::this_thread::yield();
    out.write("asked");
    asked_ = true;
    return {Then::kAgain};
  }

 private:
  Feed& feed_;
  std::shared_ptr<Waker> waker_;
  bool asked_ = false;
};

class Throwing final : public Steps {
 public:
  Next step(ResponseStream& out, const std::shared_ptr<Waker>&) override {
    out.write("begun");
    throw std::runtime_error("secret");
  }
};

class Breaking final : public Steps {
 public:
  Next step(ResponseStream& out, const std::shared_ptr<Waker>&) override {
    out.write("begun");
    return {std::exchange(begun_, true) ? Then::kBroken : Then::kAgain};
  }

 private:
  bool begun_ = false;
};

// An answer that is there once a feed says more, or 20 ms later. It tells whether it was made.
class Awaiting final : public HeldAnswer {
 public:
  Awaiting(Feed& feed, bool for_long, std::function<void()> made)
      : feed_(feed),
        at_(feed.size()),
        until_(Clock::now() + (for_long ? Millis(3'600'000) : Millis(20))),
        made_(std::move(made)) {}
  ~Awaiting() override {
    if (waker_) feed_.forget(waker_);
  }
  std::optional<Millis> wait(const std::shared_ptr<Waker>& waker) override {
    const auto left = std::chrono::ceil<Millis>(until_ - Clock::now());
    if (left <= Millis(0) || !feed_.after(at_).empty()) return std::nullopt;
    feed_.listen(at_, waker_ = waker);
    return left;
  }
  Result<Response> make() override {
    made_();
    Response out;
    out.content_type = "text/plain";
    out.body = std::string(":") + feed_.after(at_);
    if (!out.body.ends_with("refuse")) return out;
    return Error{Code::kGone, "GONE", "it was refused in the end"};
  }

 private:
  using Clock = std::chrono::steady_clock;
  Feed& feed_;
  const size_t at_;
  const Clock::time_point until_;
  const std::function<void()> made_;
  std::shared_ptr<Waker> waker_;
};

// An answer that seems due whenever a feed says more, and is once that ends with "end".
class Doubting final : public HeldAnswer {
 public:
  Doubting(Feed& feed, std::function<void()> settling, std::function<void()> made)
      : feed_(feed), settling_(std::move(settling)), made_(std::move(made)) {}
  ~Doubting() override {
    if (waker_) feed_.forget(waker_);
  }
  std::optional<Millis> wait(const std::shared_ptr<Waker>& waker) override {
    constexpr Millis kHour{3'600'000};
    if (const size_t now = feed_.size(); now != at_) {
      at_ = now;
      return std::nullopt;
    }
    feed_.listen(at_, waker_ = waker);
    return kHour;
  }
  bool settle() override {
    settling_();
    return feed_.after(0).ends_with("end");
  }
  Result<Response> make() override {
    made_();
    Response out;
    out.body = feed_.after(0);
    return out;
  }

 private:
  Feed& feed_;
  const std::function<void()> settling_;
  const std::function<void()> made_;
  size_t at_ = 0;
  std::shared_ptr<Waker> waker_;
};

inline std::shared_ptr<Steps> steps_of(const std::string& kind, Feed& feed) {
  constexpr size_t kPiece = 64 << 10;
  if (kind == "feed") return std::make_shared<Reading>(feed);
  if (kind == "much") return std::make_shared<Counting>(200, kPiece, Millis(0));
  if (kind == "flood") return std::make_shared<Counting>(SIZE_MAX, kPiece, Millis(0));
  if (kind == "ticks") return std::make_shared<Counting>(3, 1, Millis(20));
  if (kind == "computes") return std::make_shared<Computing>(feed);
  if (kind == "asks") return std::make_shared<Asking>(feed);
  if (kind == "throws") return std::make_shared<Throwing>();
  if (kind == "breaks") return std::make_shared<Breaking>();
  return std::make_shared<Counting>(1, 1, Millis(0));
}

}  // namespace paddock::http_server
