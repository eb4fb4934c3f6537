// `paddock files`, `paddock cp`: the files of a run while it runs, out of it and into it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "cli/client/name_choice.h"
#include "cli/client/run_files.h"
#include "cli/client/run_tree.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/names.h"
#include "cli/options/run_path.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/safe_output.h"
#include "cli/terminal/table.h"
#include "common/contracts/session_calls.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr int kTries = 3;  // of a file that the run writes to meanwhile

Result<std::string> target_of(const Parsed& parsed, const RunPath& place) {
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kRun, place.run));
  return run_files_target(parsed.text("namespace", "default"), name, place.path);
}

Result<int> list(Watcher& watcher, const std::string& target, const Env& env) {
  ASSIGN_OR_RETURN(const auto folder, list_run_folder(watcher.http, target));
  Table table{{"NAME", "TYPE", "SIZE"}, {}};
  for (const contracts::SessionFile& each : folder.files)
    table.rows.push_back(
        {each.name, each.type, each.type == "file" ? format_bytes(each.size) : ""});
  if (table.rows.empty())
    env.say("nothing is there");
  else
    env.out.write(render(table));
  return kExitOk;
}

// A file that is being written in its folder, and has its name only once it is whole.
class NewFile {
 public:
  static Result<NewFile> make(const std::string& path) {
    ASSIGN_OR_RETURN(os::Fd folder, os::open_root(os::folder_of(path)));
    return make_in(std::move(folder), os::base_name(path));
  }
  static Result<NewFile> make_in(os::Fd folder, const std::string& name) {
    NewFile out;
    out.folder_ = std::move(folder);
    out.name_ = name;
    out.part_ = cat(".", out.name_, ".", ::getpid(), ".part");
    ASSIGN_OR_RETURN(out.file_, os::open_beneath(out.folder_.get(), out.part_,
                                                 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    return out;
  }
  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile() {
    if (folder_.valid() && !whole_) ::unlinkat(folder_.get(), part_.c_str(), 0);
  }
  Status add(std::string_view bytes) const { return os::write_all(file_.get(), bytes); }
  Status begin_anew() {
    if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0)
      return system_error("emptying the file", errno);
    return {};
  }
  Status finish() {
    if (::renameat(folder_.get(), part_.c_str(), folder_.get(), name_.c_str()) != 0)
      return system_error(cat("writing ", name_), errno);
    whole_ = true;
    return {};
  }

 private:
  NewFile() = default;
  os::Fd folder_;
  std::string name_;
  std::string part_;
  os::Fd file_;
  bool whole_ = false;
};

Status fetch(Watcher& watcher, const std::string& target, NewFile& file) {
  Status read;
  for (int i = 0; i < kTries; ++i) {
    TRY(file.begin_anew());
    read = read_run_file(watcher.http, target,
                         [&](std::string_view bytes) { return file.add(bytes); });
    if (read.ok() || read.error().reason != "FILE_CHANGED") return read;
  }
  return Error{Code::kFailedPrecondition, "FILE_CHANGED",
               "the run wrote to the file each time while it was copied: copy one that it has "
               "finished"};
}

// Into a folder that is there a file comes under its own name.
std::string destination(const std::string& local, const RunPath& from, const Env& env) {
  const std::string path = absolute_path(env.cwd, local);
  return os::list_dir(path).ok() ? os::join_path(path, os::base_name(from.path)) : path;
}

Result<int> copy(Watcher& watcher, const std::string& target, const std::string& to,
                 const Env& env) {
  ASSIGN_OR_RETURN(NewFile file, NewFile::make(to));
  TRY(fetch(watcher, target, file));
  TRY(file.finish());
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

// What is wrong with the connection, the run or the caller is wrong for every file.
bool ends_all(const Error& error) {
  return error.code == Code::kUnavailable || error.code == Code::kDeadlineExceeded ||
         error.code == Code::kUnauthenticated || error.code == Code::kPermissionDenied ||
         error.reason == "RUN_NOT_RUNNING" || error.reason == "RUN_NOT_FOUND";
}

using TargetOf = std::function<std::string(const std::string& path)>;

struct Copied {
  size_t files = 0;
  std::vector<Cause> failed;  // paths that could not be copied, and why
};

// Each file on its own: one that cannot be had keeps no other one back.
Result<Copied> fetch_all(Watcher& watcher, const RunTree& tree, const TargetOf& target_of_file,
                         const os::Fd& root) {
  Copied out;
  const auto one = [&](const std::string& path) -> Status {
    ASSIGN_OR_RETURN(NewFile file, make_beneath(root, path));
    TRY(fetch(watcher, target_of_file(path), file));
    return file.finish();
  };
  for (const std::string& path : tree.files) {
    const Status copied = one(path);
    if (copied.ok()) ++out.files;
    if (copied.ok()) continue;
    if (ends_all(copied.error())) return copied.error().within(cat("copying ", path));
    out.failed.push_back({path, copied.error().message});
  }
  for (const std::string& path : tree.folders) {
    const Status made =
        path.empty() ? Status() : os::make_parents_beneath(root.get(), path + "/any");
    if (!made.ok()) out.failed.push_back({path, made.error().message});
  }
  return out;
}

Result<int> copy_folder(Watcher& watcher, const TargetOf& target_of_file, const std::string& to,
                        const Env& env) {
  ASSIGN_OR_RETURN(const RunTree tree, read_run_tree([&](const std::string& path) {
                     return list_run_folder(watcher.http, target_of_file(path));
                   }));
  TRY(os::make_dirs(to, 0755));
  ASSIGN_OR_RETURN(const os::Fd root, os::open_root(to));
  ASSIGN_OR_RETURN(const Copied copied, fetch_all(watcher, tree, target_of_file, root));
  env.say(cat("wrote ", copied.files, " of ", tree.files.size(),
              tree.files.size() == 1 ? " file to " : " files to ", printable(os::base_name(to))));
  for (const std::string& path : tree.others)
    env.say(cat("left out ", printable(path), ": it is a link or no regular file"));
  const size_t failed = copied.failed.size();
  if (failed == 0) return kExitOk;
  return Error{
      Code::kFailedPrecondition, "ARTIFACTS_NOT_WRITTEN",
      cat(failed, failed == 1 ? " file" : " files", " could not be copied; the others are there"),
      copied.failed};
}

// As `cp -r` does: into a folder that is there a folder comes under its own name.
Result<int> copy_recursively(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const RunPath from, parse_run_path(parsed.text("FROM"), "FROM"));
  ASSIGN_OR_RETURN(const std::string run, name_of(Kind::kRun, from.run));
  const std::string name_space = parsed.text("namespace", "default");
  const auto target = [&](const std::string& path) {
    return run_files_target(name_space, run, cat(from.path, "/", path));
  };
  const RunPath named{run, from.path.empty() ? run : from.path};
  return copy_folder(watcher, target, destination(parsed.text("TO"), named, env), env);
}

Result<RunPath> source_of(const std::string& from) {
  ASSIGN_OR_RETURN(RunPath place, parse_run_path(from, "FROM"));
  if (place.path.empty())
    return invalid_argument("USAGE", "name one file of the run; `paddock files` lists them",
                            "FROM");
  return place;
}

Result<std::string> content_of_local(const std::string& path) {
  const ReadingFile reading;
  struct stat info {};
  const int there = ::stat(path.c_str(), &info);
  if (there != 0 && errno == ENOENT)
    return Error{Code::kNotFound, "FILE_NOT_FOUND", cat("there is no file ", printable(path))};
  if (there == 0 && !S_ISREG(info.st_mode))
    return invalid_argument("NOT_A_REGULAR_FILE", "`paddock cp` copies one regular file", "FROM");
  if (info.st_size > static_cast<off_t>(contracts::kMostPutBytes))
    return Error{Code::kTooLarge, "BODY_TOO_LARGE",
                 cat("at most ", format_bytes(static_cast<int64_t>(contracts::kMostPutBytes)),
                     " are copied into a run: larger files come with its project or a volume")};
  return os::read_file(path, contracts::kMostPutBytes);
}

int copy_in(const Parsed& parsed, Env& env) {
  const std::string from = absolute_path(env.cwd, parsed.text("FROM"));
  const auto to = parse_put_path(parsed.text("TO"), os::base_name(from), "TO");
  if (!to.ok()) return fail(env, to.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::string target, target_of(parsed, *to));
    ASSIGN_OR_RETURN(std::string bytes, content_of_local(from));
    TRY(put_run_file(watcher.http, target, std::move(bytes)));
    env.say(cat("wrote ", printable(to->path), " in ", to->run));
    return kExitOk;
  });
}

int copy_out(const Parsed& parsed, Env& env) {
  const auto from = source_of(parsed.text("FROM"));
  if (!from.ok()) return fail(env, from.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::string target, target_of(parsed, *from));
    return copy(watcher, target, destination(parsed.text("TO"), *from, env), env);
  });
}

}  // namespace

int files_command(const Parsed& parsed, Env& env) {
  const auto place = parse_run_path(parsed.text("PLACE"), "PLACE");
  if (!place.ok()) return fail(env, place.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::string target, target_of(parsed, *place));
    return list(watcher, target, env);
  });
}

int cp_command(const Parsed& parsed, Env& env) {
  if (parsed.has("recursive")) {
    if (!is_run_path(parsed.text("FROM")))
      return fail(env, invalid_argument("USAGE", "into a run goes one file at a time", "FROM"));
    return watch(parsed, env,
                 [&](Watcher& watcher) { return copy_recursively(watcher, parsed, env); });
  }
  const bool out = is_run_path(parsed.text("FROM"));
  if (out != is_run_path(parsed.text("TO")))
    return out ? copy_out(parsed, env) : copy_in(parsed, env);
  return fail(env, invalid_argument("USAGE",
                                    out ? "one of the two is a file here: copy it out, then in"
                                        : "name the run's file as RUN:PATH; into a session files "
                                          "go by `paddock sandbox files --put`",
                                    out ? "TO" : "FROM"));
}

}  // namespace paddock::cli
