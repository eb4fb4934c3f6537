#include "controller/store/sqlite/soundness.h"

#include "common/base/log.h"

namespace paddock::store::sqlite {

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
  asking_.with([](sqlite3* asking) {
    if (asking != nullptr) sqlite3_interrupt(asking);
  });
  thread_.join();
}

Status SoundnessCheck::so_far() const {
  if (!damaged_.load()) return {};
  return corrupt({Code::kInternal, "STORE_CORRUPT", "nothing is written to it any more"});
}

void SoundnessCheck::look() {
  auto db = Connection::open(path_, Connection::Mode::kReader);
  if (!db) return log_warn("the store's file was not checked", {{"error", db.error().describe()}});
  asking_.with([&](sqlite3*& asking) { asking = (*db)->handle(); });
  const Status sound = check_sound(**db);
  asking_.with([](sqlite3*& asking) { asking = nullptr; });
  if (sound) return log_info("the store's file is sound", {});
  if (sound.error().reason != "STORE_CORRUPT")
    return log_warn("the store's file was not checked", {{"error", sound.error().describe()}});
  damaged_ = true;
  log_error("nothing more is written", {{"error", corrupt(sound.error()).describe()}});
}

}  // namespace paddock::store::sqlite
