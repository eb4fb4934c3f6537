#include "node-agent/executor/run_folder.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/base/crash_point.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::executor {
namespace {

constexpr const char* kJournal = "journal";
constexpr const char* kFinished = "finished";
constexpr size_t kPartChars = 2;

Status add_to(const std::string& path, std::string_view text) {
  const os::Fd file(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return system_error("opening a run's journal", errno);
  return os::write_all(file.get(), text);
}

template <class T>
Result<T> document_of(std::string_view text) {
  ASSIGN_OR_RETURN(const wire::Value value, wire::parse_json(text, {.max_bytes = text.size() + 1}));
  return wire::decode<T>(value);
}

}  // namespace

LauncherRecord LauncherRecord::of(const os::ProcessIdentity& identity) {
  return {identity.pid, static_cast<int64_t>(identity.start_ticks), identity.boot_id};
}

os::ProcessIdentity LauncherRecord::identity() const {
  return {static_cast<pid_t>(pid), static_cast<uint64_t>(start_ticks), boot_id};
}

Result<std::string> RunFolder::name_of(const std::string& run_uid, int64_t attempt) {
  const bool plain = !run_uid.empty() && run_uid.size() <= 64 &&
                     std::all_of(run_uid.begin(), run_uid.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                     });
  if (!plain || attempt < 1) {
    return invalid_argument("ASSIGNMENT_INVALID", "a run's uid or attempt cannot be right",
                            "runUid");
  }
  return cat(run_uid, "-", attempt);
}

RunFolder::RunFolder(const std::string& runs_dir, const std::string& name)
    : path_(cat(runs_dir, "/", name.substr(0, kPartChars), "/", name)) {}

Result<std::vector<std::string>> RunFolder::list(const std::string& runs_dir) {
  std::vector<std::string> names;
  ASSIGN_OR_RETURN(auto parts, os::list_dir(runs_dir));
  std::erase_if(parts, [](const std::string& name) { return name.size() != kPartChars; });
  for (const std::string& part : parts) {
    ASSIGN_OR_RETURN(const auto in_part, os::list_dir(os::join_path(runs_dir, part)));
    names.insert(names.end(), in_part.begin(), in_part.end());
  }
  return names;
}

Result<std::vector<std::string>> RunFolder::list_earlier(const std::string& runs_dir) {
  ASSIGN_OR_RETURN(auto names, os::list_dir(runs_dir));
  std::erase_if(names, [](const std::string& name) { return name.size() == kPartChars; });
  return names;
}

std::string RunFolder::file(std::string_view name) const { return os::join_path(path_, name); }

Status RunFolder::create(const contracts::Assignment& assignment) const {
  const std::string fresh = cat(path_, ".new");
  TRY(os::remove_tree(fresh));
  TRY(os::make_dirs(fresh));
  TRY(add_to(os::join_path(fresh, kJournal), wire::encode_json(assignment)));
  PADDOCK_CRASH_POINT("accepting");
  if (::rename(fresh.c_str(), path_.c_str()) != 0)
    return system_error("making a run's folder", errno);
  PADDOCK_CRASH_POINT("accepted");
  return {};
}

Result<contracts::Assignment> RunFolder::assignment() const {
  ASSIGN_OR_RETURN(const bool made, os::is_there(file(kJournal)));
  if (!made) return system_error("opening the journal", ENOENT);
  ASSIGN_OR_RETURN(const std::string text, os::read_file(file(kJournal)));
  return document_of<contracts::Assignment>(std::string_view(text).substr(0, text.find('\n')));
}

Result<RunRecord> RunFolder::record() const {
  ASSIGN_OR_RETURN(const std::string text, os::read_file(file(kJournal)));
  std::string_view records = text;
  // Half a line of an agent that was killed: what it was about to do it has not done.
  for (size_t end; (end = records.rfind('\n')) != std::string_view::npos;) {
    Result<RunRecord> last = document_of<RunRecord>(records.substr(end + 1));
    if (last) return last;
    records = records.substr(0, end);
  }
  return RunRecord{};
}

Status RunFolder::store(const RunRecord& record) const {
  return add_to(file(kJournal), cat("\n", wire::encode_json(record)));
}

FinishedRecord RunFolder::finished() const {
  const auto text = os::read_file(file(kFinished));
  const auto record = text ? document_of<FinishedRecord>(*text) : text.error();
  return record ? *record : FinishedRecord();
}

Status RunFolder::store(const FinishedRecord& record) const {
  return os::replace_file(file(kFinished), wire::encode_json(record));
}

Status RunFolder::erase() const { return os::remove_tree(path_); }

}  // namespace paddock::executor
