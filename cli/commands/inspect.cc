// `paddock files`, `paddock cp`: the files of a run while it runs, out of it and into it.
#include <errno.h>
#include <sys/stat.h>

#include <functional>
#include <utility>

#include "cli/client/name_choice.h"
#include "cli/client/other_kind.h"
#include "cli/client/run_files.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/commands/copy_errors.h"
#include "cli/commands/copy_out.h"
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

// Watches with `act`, which is about a place in the run of this name.
int watch_run(const Parsed& parsed, const Env& env, const std::string& typed_run,
              const std::function<Result<int>(Watcher&)>& act) {
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kRun, typed_run));
    return or_other_kind(watcher.client, parsed, name, act(watcher));
  });
}

Result<int> list(Watcher& watcher, const std::string& target, const RunPlace& place,
                 const Env& env) {
  const auto folder = list_run_folder(watcher.http, target);
  if (!folder.ok()) return of_run_file(folder.error(), place);
  Table table{{"NAME", "TYPE", "SIZE"}, {}};
  for (const contracts::SessionFile& each : folder->files)
    table.rows.push_back(
        {each.name, each.type, each.type == "file" ? format_bytes(each.size) : ""});
  if (table.rows.empty())
    env.say("nothing is there");
  else
    env.out.write(render(table));
  return kExitOk;
}

Result<RunPath> source_of(const Parsed& parsed) {
  ASSIGN_OR_RETURN(RunPath place, parse_run_path(parsed.text("FROM"), "FROM"));
  if (place.path.empty() && !parsed.has("recursive"))
    return invalid_argument("USAGE", "name one file of the run; `paddock files` lists them",
                            "FROM");
  return place;
}

Error too_large(const std::string& typed, const RunPath& to) {
  return {Code::kTooLarge, "BODY_TOO_LARGE",
          cat("at most ", format_bytes(static_cast<int64_t>(contracts::kMostPutBytes)),
              " are copied into a run: larger files come with its project or a volume, or by ",
              large_way(typed, to))};
}

// A file here that is to go into a run.
Status check_file_here(const struct stat& info, const std::string& typed, const RunPath& to) {
  if (S_ISDIR(info.st_mode))
    return invalid_argument(
        "NOT_A_REGULAR_FILE",
        cat("this is a folder, and into a run goes one file at a time: ", folder_way(typed, to)));
  if (!S_ISREG(info.st_mode))
    return invalid_argument("NOT_A_REGULAR_FILE", "this is no regular file");
  if (info.st_size > static_cast<off_t>(contracts::kMostPutBytes)) return too_large(typed, to);
  return {};
}

Result<std::string> content_of_local(const std::string& path, const std::string& typed,
                                     const RunPath& to) {
  const ReadingFile reading;
  struct stat info {};
  const int failure = ::stat(path.c_str(), &info) == 0 ? 0 : errno;
  if (failure == ENOENT || failure == ENOTDIR)
    return Error{Code::kNotFound, "FILE_NOT_FOUND", "there is no such file"};
  if (failure != 0) return system_error("looking at it", failure);
  TRY(check_file_here(info, typed, to));
  return os::read_file(path, contracts::kMostPutBytes);
}

int copy_in(const Parsed& parsed, Env& env) {
  const std::string typed = parsed.text("FROM");
  const std::string from = absolute_path(env.cwd, typed);
  const auto to = parse_put_path(parsed.text("TO"), os::base_name(from), "TO");
  if (!to.ok()) return fail(env, to.error());
  return watch_run(parsed, env, to->run, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::string target, place_target(parsed, *to));
    auto bytes = content_of_local(from, typed, *to);
    if (!bytes.ok()) return of_file_here(bytes.error(), typed);
    const Status put = put_run_file(watcher.http, target, std::move(*bytes));
    if (!put.ok()) return of_run_file(put.error(), {parsed.text("TO"), *to, RunPlace::Wish::kPut});
    env.say(cat("wrote ", printable(to->path), " in ", to->run));
    return kExitOk;
  });
}

// The refusal of -r where it does not lead out of a run.
Error only_out(const Parsed& parsed) {
  const auto to = parse_run_path(parsed.text("TO"), "TO");
  const bool in = to.ok() && is_run_path(parsed.text("TO"));
  return invalid_argument(
      "USAGE",
      cat("into a run goes one file at a time",
          in ? cat(", and a folder by ", folder_way(parsed.text("FROM"), *to)) : std::string()),
      "FROM");
}

// `-` is no stream here; a file of that name would be a surprise.
Status check_no_stream(const Parsed& parsed) {
  const auto refused = [](const char* argument, const char* way) {
    return invalid_argument("USAGE", cat("`-` is no file: ", way, "; a file of that name is `./-`"),
                            argument);
  };
  if (parsed.text("TO") == "-")
    return refused("TO", "`paddock exec RUN -- cat PATH` prints one of a run");
  if (parsed.text("FROM") == "-")
    return refused("FROM", "`paddock exec -i RUN -- sh -c 'cat > PATH'` writes what is piped");
  return {};
}

int copy_out(const Parsed& parsed, Env& env) {
  const auto from = source_of(parsed);
  if (!from.ok()) return fail(env, from.error());
  return watch_run(parsed, env, from->run, [&](Watcher& watcher) {
    return parsed.has("recursive") ? copy_folder_out(watcher, parsed, *from, env)
                                   : copy_file_out(watcher, parsed, *from, env);
  });
}

}  // namespace

int files_command(const Parsed& parsed, Env& env) {
  const auto place = parse_run_path(parsed.text("PLACE"), "PLACE");
  if (!place.ok()) return fail(env, place.error());
  return watch_run(parsed, env, place->run, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::string target, place_target(parsed, *place));
    return list(watcher, target, {parsed.text("PLACE"), *place, RunPlace::Wish::kList}, env);
  });
}

int cp_command(const Parsed& parsed, Env& env) {
  if (const Status named = check_no_stream(parsed); !named.ok()) return fail(env, named.error());
  const bool out = is_run_path(parsed.text("FROM"));
  if (parsed.has("recursive")) return out ? copy_out(parsed, env) : fail(env, only_out(parsed));
  if (out != is_run_path(parsed.text("TO")))
    return out ? copy_out(parsed, env) : copy_in(parsed, env);
  return fail(env, invalid_argument("USAGE",
                                    out ? "one of the two is a file here: copy it out, then in"
                                        : "name the run's file as RUN:PATH; into a session files "
                                          "go by `paddock sandbox files --put`",
                                    out ? "TO" : "FROM"));
}

}  // namespace paddock::cli
