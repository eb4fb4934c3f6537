// `paddock artifacts`: what a run brought back, or has finished so far.
#include <map>

#include "cli/client/fetch_artifacts.h"
#include "cli/client/name_choice.h"
#include "cli/client/object_choice.h"
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/names.h"
#include "cli/output/run_report.h"
#include "cli/terminal/for_each.h"
#include "cli/terminal/table.h"
#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

using contracts::Artifact;
using contracts::Run;

struct Fetching {
  std::string folder;  // where they are written; empty: they are listed
  bool verbose = false;
};

// Each state of a file once: told, and written below `folder` unless that is empty.
class Bringing {
 public:
  Bringing(const Watcher& watcher, RunRef run, Fetching wanted, const Env& env)
      : watcher_(watcher),
        run_(std::move(run)),
        folder_(std::move(wanted.folder)),
        verbose_(wanted.verbose || folder_.empty()),
        env_(env) {}

  // A file that the run is just replacing is passed over, and comes with its next state.
  Status take(const std::vector<Artifact>& now) {
    std::vector<Artifact> news = now;
    std::erase_if(news, [this](const Artifact& each) {
      const auto known = brought_.find(each.path);
      return known != brought_.end() && known->second == each.digest;
    });
    failed_ = {};
    if (!folder_.empty()) {
      ASSIGN_OR_RETURN(failed_, fetch_artifacts(watcher_.endpoint, run_, news, folder_, env_));
      news = brought(news, failed_);
    }
    for (const Artifact& each : news) tell(each);
    return {};
  }
  // Whether everything came back in the last take().
  Status all_brought() const { return all_fetched(failed_); }
  std::string summary() const {
    return cat(files_, files_ == 1 ? " file, " : " files, ", format_bytes(bytes_));
  }

 private:
  void tell(const Artifact& each) {
    brought_[each.path] = each.digest;
    ++files_;
    bytes_ += each.size;
    env_.out.write(
        verbose_ ? cat(printable(each.path), "  ", format_bytes(each.size), "  ", each.digest, "\n")
                 : cat(printable(each.path), "\n"));
  }

  const Watcher& watcher_;
  const RunRef run_;
  const std::string folder_;
  const bool verbose_;
  const Env& env_;
  std::map<std::string, std::string> brought_;  // digests by path
  Fetched failed_;
  int64_t files_ = 0, bytes_ = 0;
};

void list_artifacts(const std::vector<Artifact>& artifacts, const Env& env) {
  if (artifacts.empty()) return env.say("the run has no artifacts");
  Table table{{"PATH", "SIZE", "SHA-256"}, {}};
  for (const auto& each : artifacts)
    table.rows.push_back({each.path, format_bytes(each.size), each.digest});
  env.out.write(render(table));
}

void tell_left_out(const Run& run, const Env& env) {
  if (run.status.left_out.empty()) return;
  env.say("not brought back:");
  env.err.write(left_out_text(run.status.left_out, kAllLeftOut, "  "));
}

// `-` is no stream here; a folder of that name would be a surprise.
Result<std::string> output_folder(const Parsed& parsed, const Env& env) {
  if (parsed.text("output") == "-")
    return invalid_argument("USAGE",
                            "`-` is no folder: artifacts are files, and without --output they are "
                            "listed; a folder of that name is `./-`",
                            "--output");
  return parsed.has("output") ? absolute_path(env.cwd, parsed.text("output")) : "";
}

// Its elements would be asked if there were any.
Error without_elements(const Run& run) {
  return {Code::kFailedPrecondition, "RUN_IS_ARRAY",
          cat(run.metadata.name, contracts::is_gang(run.spec) ? " is a gang" : " is an array",
              " and has no artifacts of its own, and no ",
              contracts::element_name(run.metadata.name, 0), " yet")};
}

Status show_artifacts(Watcher& watcher, const RunRef& ref, const Fetching& wanted, const Env& env) {
  ASSIGN_OR_RETURN(const Run run, watcher.client.get_run(ref.name_space, ref.name));
  if (contracts::is_array(run.spec)) return without_elements(run);
  const bool ended = contracts::is_terminal(run.status.phase);
  if (!ended && run.status.artifacts.empty()) {
    return Error{Code::kFailedPrecondition, "RUN_NOT_ENDED",
                 cat("run ", ref.name, " is still ", wire::enum_name(run.status.phase),
                     " and has finished no file yet; --follow waits for them")};
  }
  if (!ended) env.say("the run has not ended; these are the files that it has finished so far");
  Bringing bringing(watcher, ref, wanted, env);
  if (wanted.folder.empty()) {
    list_artifacts(run.status.artifacts, env);
  } else {
    TRY(bringing.take(run.status.artifacts));
    env.say(bringing.summary());
  }
  tell_left_out(run, env);
  return bringing.all_brought();
}

// Fetches the files that exist, then those of each change, until the run has ended. If the server
// no longer has all changes, the list is read anew. Watching begins at the list's version: a run's
// own may be older than all that the server remembers.
Result<Run> follow_to_the_end(Watcher& watcher, const RunRef& ref, Bringing& bringing,
                              const Env& env) {
  ObjectChoice choice;
  choice.kind = Kind::kRun;
  choice.name_space = ref.name_space;
  choice.name = ref.name;
  for (;;) {
    ASSIGN_OR_RETURN(const wire::Value list, watcher.client.get(choice.watched()));
    ASSIGN_OR_RETURN(Run run, get_run_patiently(watcher.client, ref, env));
    Status taken = bringing.take(run.status.artifacts);
    const Status ended = watcher.client.follow_objects(
        choice.watched(), list.text("metadata.resourceVersion"), env.patience,
        [&](std::string_view type, const wire::Value& object) {
          Result<Run> now = wire::decode<Run>(object);
          if (type == "DELETED" || !now.ok()) return false;
          run = std::move(*now);
          taken = bringing.take(run.status.artifacts);
          return taken.ok() && !contracts::is_terminal(run.status.phase);
        });
    TRY(std::move(taken));
    if (contracts::is_terminal(run.status.phase)) return run;
    if (!ended.ok() && ended.error().code != Code::kGone) return ended.error();
  }
}

Status follow_artifacts(Watcher& watcher, const RunRef& ref, const Fetching& wanted,
                        const Env& env) {
  Bringing bringing(watcher, ref, wanted, env);
  ASSIGN_OR_RETURN(Run run, get_run_patiently(watcher.client, ref, env));
  if (contracts::is_array(run.spec)) return without_elements(run);
  if (!contracts::is_terminal(run.status.phase)) {
    ASSIGN_OR_RETURN(run, follow_to_the_end(watcher, ref, bringing, env));
  }
  TRY(bringing.take(run.status.artifacts));
  env.say(cat("the run has ended: ", bringing.summary()));
  tell_left_out(run, env);
  return bringing.all_brought();
}

// The files of several runs go into a folder for each, since their paths may be the same. A run's
// name is checked, since it may come from the server.
Result<std::string> folder_of(const RunRef& run, const std::string& folder, bool several) {
  if (!several || folder.empty()) return folder;
  if (run.name.empty() || run.name.starts_with('.') || run.name.find('/') != std::string::npos)
    return invalid_argument("USAGE", cat("`", run.name, "` is no name of a run"), "NAME");
  return os::join_path(folder, run.name);
}

Result<int> artifacts_of_all(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::string folder, output_folder(parsed, env));
  ASSIGN_OR_RETURN(const std::vector<RunRef> runs, chosen_single_runs(watcher.client, parsed));
  const bool several = runs.size() > 1;
  if (several && parsed.has("follow"))
    return invalid_argument("USAGE", cat("it follows one run, and these are ", runs.size()),
                            "--follow");
  return for_each(runs, env, [&](const RunRef& run) -> Status {
    Fetching its_own{{}, parsed.has("verbose")};
    ASSIGN_OR_RETURN(its_own.folder, folder_of(run, folder, several));
    if (several) env.out.write(part_title(run));
    return or_other_kind(watcher.client, parsed, run.name,
                         parsed.has("follow") ? follow_artifacts(watcher, run, its_own, env)
                                              : show_artifacts(watcher, run, its_own, env));
  });
}

}  // namespace

int artifacts_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env,
               [&](Watcher& watcher) { return artifacts_of_all(watcher, parsed, env); });
}

}  // namespace paddock::cli
