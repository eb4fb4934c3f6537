#include "cli/commands/copy_out.h"

#include <fcntl.h>

#include <functional>
#include <utility>
#include <vector>

#include "cli/client/name_choice.h"
#include "cli/client/new_file.h"
#include "cli/client/run_files.h"
#include "cli/client/run_tree.h"
#include "cli/commands/copy_errors.h"
#include "cli/options/names.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr int kTries = 3;  // of a file that the run writes to meanwhile

// How a file fared on either side.
struct BothSides {
  Status run;
  Status here;
};

BothSides fetch(Watcher& watcher, const std::string& target, NewFile& file) {
  BothSides out;
  for (int i = 0; i < kTries; ++i) {
    out.here = file.begin_anew();
    if (!out.here.ok()) return out;
    const Status read = read_run_file(watcher.http, target, [&](std::string_view bytes) {
      out.here = file.add(bytes);
      return out.here;
    });
    if (!out.here.ok()) return out;
    out.run = read;
    if (read.ok() || read.error().reason != "FILE_CHANGED") break;
  }
  if (out.run.ok()) out.here = file.finish();
  return out;
}

// Into a folder that is there a file comes under its own name.
Result<std::string> destination(const std::string& typed, const std::string& name, const Env& env) {
  if (os::list_dir(absolute_path(env.cwd, typed)).ok()) return os::join_path(typed, name);
  if (!typed.ends_with('/')) return typed;
  return of_file_here(Error{Code::kNotFound, "FILE_NOT_FOUND", "there is no such folder"}, typed);
}

Result<int> copy(Watcher& watcher, const std::string& target, const RunPlace& from,
                 const std::string& to, const Env& env) {
  auto file = NewFile::make(absolute_path(env.cwd, to));
  if (!file.ok()) return of_file_here(file.error(), to);
  const BothSides fetched = fetch(watcher, target, *file);
  if (!fetched.here.ok()) return of_file_here(fetched.here.error(), to);
  if (!fetched.run.ok()) return of_run_file(fetched.run.error(), from);
  env.say(cat("wrote ", printable(os::base_name(to))));
  return kExitOk;
}

// Beneath `root`, through no link, in folders that are made for it.
Result<NewFile> make_beneath(const os::Fd& root, const std::string& path) {
  TRY(os::make_parents_beneath(root.get(), path));
  const std::string folder = path.find('/') == std::string::npos ? "." : os::folder_of(path);
  ASSIGN_OR_RETURN(os::Fd at,
                   os::open_beneath(root.get(), folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return NewFile::make_in(std::move(at), os::base_name(path));
}

// A fault of the connection, the run or the caller is one for every file. A place on this host that
// may not be written is not.
bool ends_all(const Error& error) {
  if (error.reason == "SYSTEM_ERROR") return false;
  return error.code == Code::kUnavailable || error.code == Code::kDeadlineExceeded ||
         error.code == Code::kUnauthenticated || error.code == Code::kPermissionDenied ||
         error.reason == "RUN_NOT_RUNNING" || error.reason == "RUN_NOT_FOUND";
}

using TargetOf = std::function<std::string(const std::string& path)>;

struct Copied {
  size_t files = 0;
  std::vector<Cause> failed;  // paths that could not be copied, and why
};

Error failed_here(Error error) {
  error.message = cat("here: ", error.message);
  return error;
}

Status fetch_beneath(Watcher& watcher, const std::string& target, const os::Fd& root,
                     const std::string& path) {
  auto file = make_beneath(root, path);
  if (!file.ok()) return failed_here(file.error());
  const BothSides fetched = fetch(watcher, target, *file);
  return fetched.here.ok() ? fetched.run : failed_here(fetched.here.error());
}

// Each file on its own: one that cannot be had keeps no other one back.
Result<Copied> fetch_all(Watcher& watcher, const RunTree& tree, const TargetOf& target_of_file,
                         const os::Fd& root) {
  Copied out;
  for (const std::string& path : tree.files) {
    const Status copied = fetch_beneath(watcher, target_of_file(path), root, path);
    if (copied.ok()) ++out.files;
    if (copied.ok()) continue;
    Error error = copied.error();
    if (ends_all(error)) {
      error.message = cat("after ", out.files, " of ", tree.files.size(), " files, at `", path,
                          "`: ", error.message);
      return error;
    }
    out.failed.push_back({path, error.message});
  }
  for (const std::string& path : tree.folders) {
    const Status made =
        path.empty() ? Status() : os::make_parents_beneath(root.get(), path + "/any");
    if (!made.ok()) out.failed.push_back({path, made.error().message});
  }
  return out;
}

Result<os::Fd> folder_here(const std::string& to, const Env& env) {
  const std::string path = absolute_path(env.cwd, to);
  const Status made = os::make_dirs(path, 0755);
  if (!made.ok()) return of_file_here(made.error(), to);
  auto root = os::open_root(path);
  if (!root.ok()) return of_file_here(root.error(), to);
  return root;
}

Result<int> copy_folder(Watcher& watcher, const RunPlace& from, const TargetOf& target_of_file,
                        const std::string& to, const Env& env) {
  const auto tree = read_run_tree(
      [&](const std::string& path) { return list_run_folder(watcher.http, target_of_file(path)); });
  if (!tree.ok()) return of_run_file(tree.error(), from);
  ASSIGN_OR_RETURN(const os::Fd root, folder_here(to, env));
  ASSIGN_OR_RETURN(const Copied copied, fetch_all(watcher, *tree, target_of_file, root));
  env.say(cat("wrote ", copied.files, " of ", tree->files.size(),
              tree->files.size() == 1 ? " file to " : " files to ", printable(os::base_name(to))));
  for (const std::string& path : tree->others)
    env.say(cat("left out ", printable(path), ": it is a link or no regular file"));
  const size_t failed = copied.failed.size();
  if (failed == 0) return kExitOk;
  return Error{
      Code::kFailedPrecondition, "ARTIFACTS_NOT_WRITTEN",
      cat(failed, failed == 1 ? " file" : " files", " could not be copied; the others are there"),
      copied.failed};
}

}  // namespace

Result<std::string> place_target(const Parsed& parsed, const RunPath& place) {
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kRun, place.run));
  return run_files_target(parsed.text("namespace", "default"), name, place.path);
}

Result<int> copy_file_out(Watcher& watcher, const Parsed& parsed, const RunPath& from,
                          const Env& env) {
  ASSIGN_OR_RETURN(const std::string target, place_target(parsed, from));
  ASSIGN_OR_RETURN(const std::string to,
                   destination(parsed.text("TO"), os::base_name(from.path), env));
  return copy(watcher, target, {parsed.text("FROM"), from}, to, env);
}

Result<int> copy_folder_out(Watcher& watcher, const Parsed& parsed, const RunPath& from,
                            const Env& env) {
  ASSIGN_OR_RETURN(const std::string run, name_of(Kind::kRun, from.run));
  const std::string name_space = parsed.text("namespace", "default");
  const auto target = [&](const std::string& path) {
    return run_files_target(name_space, run, cat(from.path, "/", path));
  };
  const std::string name = os::base_name(from.path.empty() ? run : from.path);
  const std::string to = parsed.text("TO");
  const bool there = os::list_dir(absolute_path(env.cwd, to)).ok();
  return copy_folder(watcher, {parsed.text("FROM"), from, RunPlace::Wish::kList}, target,
                     there ? os::join_path(to, name) : to, env);
}

}  // namespace paddock::cli
