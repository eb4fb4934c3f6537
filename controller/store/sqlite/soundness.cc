#include "controller/store/sqlite/soundness.h"

#include <chrono>

#include "common/base/log.h"

namespace paddock::store::sqlite {

namespace {
constexpr std::chrono::milliseconds kAskAgain{5};
}

Status check_sound(Connection& db) {
  Statement check = db.prepare("PRAGMA quick_check(1)");
  ASSIGN_OR_RETURN(const bool row, check.step());
  const std::string verdict = row ? check.text(0) : "";
  if (verdict == "ok") return {};
  return Error{Code::kInternal, "STORE_CORRUPT", verdict};
}

Error corrupt(const Error& cause) {
  return Error{Code::kInternal, "STORE_CORRUPT",
               "the store's file is damaged; move it away and restore a backup, or start with an "
               "empty data folder"}
      .within(cause.describe());
}

SoundnessCheck::SoundnessCheck(std::string path)
    : path_(std::move(path)), thread_([this] { look(); }) {}

SoundnessCheck::~SoundnessCheck() {
  stopping_ = true;
  const auto ask = [](State& state, bool done) {
    if (!done && state.asking != nullptr) sqlite3_interrupt(state.asking);
    return done;
  };
  // SQLite is interrupted again and again: one interrupt ends only what runs already.
  while (!state_.wait_for(
      changed_, kAskAgain, [](State& state) { return state.done; }, ask)) {
  }
  thread_.join();
}

Status SoundnessCheck::so_far() const {
  if (!damaged_.load()) return {};
  return corrupt({Code::kInternal, "STORE_CORRUPT", "nothing is written to it any more"});
}

Status SoundnessCheck::verdict() {
  ASSIGN_OR_RETURN(const auto db, Connection::open(path_, Connection::Mode::kReader));
  state_.with([&](State& state) { state.asking = db->handle(); });
  Status sound = stopping_ ? Status() : check_sound(*db);
  state_.with([](State& state) { state.asking = nullptr; });
  return sound;
}

void SoundnessCheck::look() {
  const Status sound = verdict();
  const bool bad =
      !sound && (sound.error().reason == "STORE_CORRUPT" || sound.error().reason == "STORE_IO");
  damaged_ = bad;
  if (bad) {
    log_error("nothing more is written", {{"error", corrupt(sound.error()).describe()}});
  } else if (!sound && !stopping_) {
    log_warn("the store's file was not checked", {{"error", sound.error().describe()}});
  } else if (!stopping_) {
    log_info("the store's file is sound", {});
  }
  state_.with([](State& state) { state.done = true; });
  changed_.notify_all();
}

}  // namespace paddock::store::sqlite
