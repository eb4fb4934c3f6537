#include "node-agent/executor/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/base/crash_point.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::executor {
namespace {

template <class T>
Result<T> read_document(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, os::read_file(path));
  ASSIGN_OR_RETURN(const wire::Value value, wire::parse_json(text, {.max_bytes = text.size() + 1}));
  return wire::decode<T>(value);
}

template <class T>
Status write_document(const std::string& path, const T& document) {
  return os::write_file_atomic(path, wire::to_json(wire::encode(document)));
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

std::string RunFolder::file(std::string_view name) const { return os::join_path(path_, name); }

Status RunFolder::create(const contracts::Assignment& assignment) const {
  const std::string fresh = cat(path_, ".new");
  TRY(os::remove_tree(fresh));
  TRY(os::make_dirs(fresh));
  TRY(write_document(os::join_path(fresh, "assignment.json"), assignment));
  TRY(write_document(os::join_path(fresh, "state.json"), RunRecord{}));
  PADDOCK_CRASH_POINT("accepting");
  if (::rename(fresh.c_str(), path_.c_str()) != 0)
    return system_error("making a run's folder", errno);
  PADDOCK_CRASH_POINT("accepted");
  return {};
}

Result<contracts::Assignment> RunFolder::assignment() const {
  return read_document<contracts::Assignment>(file("assignment.json"));
}

Result<RunRecord> RunFolder::record() const { return read_document<RunRecord>(file("state.json")); }

Status RunFolder::store(const RunRecord& record) const {
  return write_document(file("state.json"), record);
}

Status RunFolder::erase() const { return os::remove_tree(path_); }

}  // namespace paddock::executor
