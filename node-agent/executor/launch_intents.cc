#include "node-agent/executor/launch_intents.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/executor/device_hold.h"

namespace paddock::executor {
namespace {

constexpr int64_t kSlotBytes = 128;  // within one sector, so never half of it
constexpr int64_t kGrowBy = 1024;    // slots; the file's size changes that rarely

using Slot = std::array<char, kSlotBytes>;

Status write_slot(const os::Fd& file, int64_t slot, std::string_view text) {
  Slot bytes{};
  if (text.size() >= bytes.size()) {
    return invalid_argument("ASSIGNMENT_INVALID", "a run's uid or attempt cannot be right",
                            "runUid");
  }
  std::memcpy(bytes.data(), text.data(), text.size());
  if (::pwrite(file.get(), bytes.data(), bytes.size(), slot * kSlotBytes) != kSlotBytes)
    return system_error("noting a launch", errno);
  return {};
}

Error unwritable() {
  return {Code::kInternal, "LAUNCHES_UNWRITABLE",
          "the node's disk failed to store a note of a launch; nothing more is started here until "
          "it stores all of them"};
}

}  // namespace

// "<run> <boot of the machine>" each.
Result<LaunchIntents::State> LaunchIntents::read(const os::Fd& file) {
  ASSIGN_OR_RETURN(const std::string bytes, os::read_all(file.get(), size_t{64} << 20));
  State state;
  for (size_t at = 0; at + kSlotBytes <= bytes.size(); at += kSlotBytes) {
    const int64_t slot = state.end++;
    const std::string_view text(bytes.data() + at, ::strnlen(bytes.data() + at, kSlotBytes));
    const std::string_view run = text.substr(0, text.find(' '));
    const std::string_view boot = text.substr(std::min(run.size() + 1, text.size()));
    if (run.empty() || !state.runs.emplace(run, Intent{slot, std::string(boot)}).second)
      state.unused.push_back(slot);
  }
  std::ranges::reverse(state.unused);
  return state;
}

Result<std::unique_ptr<LaunchIntents>> LaunchIntents::open(const std::string& path, Sync to_disk) {
  ASSIGN_OR_RETURN(const bool made, os::is_there(path));
  if (!made) TRY(os::write_file_atomic(path, ""));
  os::Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return system_error("opening the node's launches", errno);
  ASSIGN_OR_RETURN(State state, read(file));
  const bool fresh = state.end < kGrowBy;
  std::unique_ptr<LaunchIntents> out(
      new LaunchIntents(std::move(file), std::move(state), this_boot(), to_disk));
  if (fresh) TRY(out->reserve(kGrowBy));
  return out;
}

// The kernel says of a full disk only sometimes that it is one; another failure has no better name.
Status LaunchIntents::flush() {
  return failures_.with([&](int64_t& failures) -> Status {
    if (to_disk_(file_.get()) == 0) return {};
    Error error = system_error("noting a launch", errno);
    ++failures;
    return error.code == Code::kResourceExhausted ? error : unwritable();
  });
}

int64_t LaunchIntents::failures() const {
  return failures_.with([](const int64_t& failures) { return failures; });
}

// Room for `slots`, with blocks of its own: later writes change nothing but their bytes.
Status LaunchIntents::reserve(int64_t slots) {
  const std::string zeros(static_cast<size_t>(kGrowBy * kSlotBytes), '\0');
  const off_t size = ::lseek(file_.get(), 0, SEEK_END);
  for (int64_t at = size / kSlotBytes; at < slots; at += kGrowBy) {
    const ssize_t written = ::pwrite(file_.get(), zeros.data(), zeros.size(), at * kSlotBytes);
    if (written < 0) return system_error("making room for launches", errno);
    if (written < static_cast<ssize_t>(zeros.size()))
      return system_error("making room for launches", ENOSPC);
  }
  return flush();
}

// Writes all notes again from memory, as the disk may have lost some. Slots that are free here may
// still be in use on the disk; that is harmless.
Status LaunchIntents::write_anew(const State& state) {
  for (const auto& [run, noted] : state.runs)
    TRY(write_slot(file_, noted.slot, cat(run, " ", noted.boot)));
  return flush();
}

Status LaunchIntents::note(const std::string& run) {
  int64_t before = 0;
  const Status written = state_.with([&](State& state) -> Status {
    before = failures();
    if (state.mended != before) TRY(write_anew(state));
    state.mended = before;
    if (state.runs.contains(run)) return {};
    if (state.unused.empty()) {
      if (state.end % kGrowBy == 0) TRY(reserve(state.end + kGrowBy));
      state.unused.push_back(state.end++);
    }
    TRY(write_slot(file_, state.unused.back(), cat(run, " ", boot_)));
    state.runs[run] = {state.unused.back(), boot_};
    state.unused.pop_back();
    return {};
  });
  TRY(written);
  TRY(flush());  // one at a time: the kernel tells of a write that failed once, and whoever waits
                 // must hear it
  return failures() == before ? Status() : Status(unwritable());
}

bool LaunchIntents::noted(const std::string& run) const {
  return state_.with([&](const State& state) { return state.runs.contains(run); });
}

void LaunchIntents::forget(const std::string& run) {
  state_.with([&](State& state) {
    const auto found = state.runs.find(run);
    // If it cannot be erased now, it stays noted, on the disk and here.
    if (found == state.runs.end() || !write_slot(file_, found->second.slot, "")) return;
    state.unused.push_back(found->second.slot);
    state.runs.erase(found);
  });
}

void LaunchIntents::keep_only(const std::vector<std::string>& folders) {
  std::vector<std::string> gone;
  state_.with([&](const State& state) {
    for (const auto& [run, noted] : state.runs) {
      const bool here = std::ranges::binary_search(folders, run);
      if (!here && noted.boot == boot_) gone.push_back(run);
    }
  });
  for (const std::string& run : gone) forget(run);
}

}  // namespace paddock::executor
