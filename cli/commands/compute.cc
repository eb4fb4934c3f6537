// `paddock compute` and `paddock build`: a project's command on a node, its output here, its
// results in the folder.
#include <algorithm>
#include <limits>

#include "cli/commands/commands.h"
#include "cli/core/compute_options.h"
#include "cli/core/error_text.h"
#include "cli/core/event_printer.h"
#include "cli/core/exit_codes.h"
#include "cli/core/fetch_artifacts.h"
#include "cli/core/foreground.h"
#include "cli/core/health.h"
#include "cli/core/names.h"
#include "cli/core/returned_files.h"
#include "cli/core/run_report.h"
#include "common/cas/tree.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/tree_path.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr Millis kReadyPatience{5000};
constexpr size_t kFewLeftOut = 5;
constexpr size_t kArtifactLines = 20;
constexpr int kReadings = 3;  // of a project whose files change on their way
constexpr int kUploads =
    8;  // another host with a project of this path may upload between two steps

// One `compute` at work.
struct Job {
  const ComputeOptions& options;
  const Env& env;
  http::Endpoint endpoint;
  RunRef run;
  std::string workspace;
  Phases& phases;
};

// Digests are remembered per user, whatever the instance; losing them costs time only.
std::string digest_cache_path(const Env& env) {
  const Result<std::string> root = state_root(env.vars, env.root);
  if (!root.ok() || !os::make_dirs(*root).ok()) return "";
  return *root + "/digests";
}

// What the controller takes of one file; one that does not say so takes its standard.
int64_t largest_file(client::ControllerClient& client) {
  const Result<wire::Value> status = client.get("/status");
  const wire::Value* most = status.ok() ? status->find("maxBlob") : nullptr;
  const int64_t* bytes = most != nullptr ? most->integer() : nullptr;
  return bytes != nullptr ? *bytes : std::numeric_limits<int64_t>::max();
}

// Folders of the project in which a file that came back is a result and no input.
std::vector<std::string> result_folders(const ComputeOptions& options) {
  std::vector<std::string> folders = options.artifact_dirs;
  if (options.output != options.folder && contracts::is_within(options.output, options.folder))
    folders.push_back(options.output.substr(options.folder.size() + 1));
  return folders;
}

Result<cas::Scan> hash_project(const Job& job, client::ControllerClient& client) {
  job.phases.begin("hash");
  cas::ScanLimits limits;
  limits.cache_path = digest_cache_path(job.env);
  limits.max_file = largest_file(client);
  limits.returned = ReturnedList(job.env, job.options.folder).below(result_folders(job.options));
  limits.asked_folders = job.options.artifact_dirs;
  ASSIGN_OR_RETURN(cas::Scan scan, cas::scan_folder(job.options.folder, limits));
  job.env.say(cat("project: ", scan.tree.entries.size(), " files, ", format_bytes(scan.bytes)));
  if (!scan.left_out.empty()) {
    job.env.say(cat("left out ", scan.left_out.size(),
                    scan.left_out.size() == 1 ? " entry:" : " entries:"));
    job.env.err.write(
        left_out_text(scan.left_out, job.options.verbose ? kAllLeftOut : kFewLeftOut, "  "));
  }
  return scan;
}

Status check_requirements(const Job& job, const cas::Scan& scan) {
  const std::string& wanted = job.options.requirements;
  if (wanted.empty()) return {};
  contracts::TreeLinks links;
  for (const contracts::TreeLink& each : scan.tree.links) links.emplace(each.path, each.target);
  const auto file = contracts::resolve_links(wanted, links);
  if (file && std::ranges::find(scan.tree.entries, *file, &contracts::TreeEntry::path) !=
                  scan.tree.entries.end())
    return {};
  return invalid_argument("REQUIREMENTS_NOT_FOUND",
                          cat("`", wanted, "` is not among the project's files"), "--requirements");
}

Status upload(const Job& job, client::ControllerClient& client, const cas::Scan& scan) {
  job.phases.begin("upload");
  ProgressDisplay progress(job.env.err, "upload");
  const auto on_progress = [&](const client::UploadProgress& now) {
    job.phases.progress(now.bytes_sent, now.bytes_total);
    if (!job.phases.json())
      progress.show({now.bytes_sent, now.bytes_total, format_bytes(now.bytes_sent)},
                    job.env.clock.mono());
  };
  ASSIGN_OR_RETURN(const client::UploadProgress sent,
                   client.upload_workspace(job.run.name_space, job.workspace, job.options.folder,
                                           scan, on_progress));
  progress.hide();
  job.phases.end();
  if (sent.blobs_sent == 0) {
    job.env.say("uploaded 0 B (everything was already there)");
  } else {
    job.env.say(cat("uploaded ", format_bytes(sent.bytes_sent), " in ", sent.blobs_sent, " of ",
                    scan.tree.entries.size(), " files"));
  }
  return {};
}

Status follow(const Job& job, client::ControllerClient& client) {
  EventPrinter printer(job.env, {.phases = !job.phases.json()});
  const Status ended = client.follow_events(job.run.name_space, job.run.name, 0, job.env.patience,
                                            [&](const contracts::RunEvent& event) {
                                              job.phases.event(event);
                                              printer.print(event);
                                              return true;
                                            });
  printer.finish();
  return ended;
}

void report_artifacts(const Job& job, const contracts::RunStatus& status, const Fetched& fetched) {
  const Env& env = job.env;
  if (fetched.files > 0) {
    env.say(cat("artifacts: ", fetched.files, fetched.files == 1 ? " file, " : " files, ",
                format_bytes(fetched.bytes)));
  }
  size_t shown = 0;
  for (const contracts::Artifact& artifact : status.artifacts) {
    if (shown++ == kArtifactLines && !job.options.verbose) {
      env.say(cat("  … and ", status.artifacts.size() - kArtifactLines, " more"));
      break;
    }
    env.say(cat("  ", printable(os::join_path(job.options.output, artifact.path)), "  ",
                format_bytes(artifact.size)));
  }
  if (status.left_out.empty()) return;
  env.say("not brought back:");
  env.err.write(left_out_text(status.left_out, kAllLeftOut, "  "));
}

// Also of a run that failed: reports of failed tests are why tests are run. It is said, so that
// half a result is not taken for a whole one.
Status bring_back(const Job& job, const contracts::Run& run, const contracts::Tree& sent) {
  if (run.status.phase != contracts::RunPhase::kSucceeded && !run.status.artifacts.empty()) {
    job.env.say(cat("the run did not succeed (", run.status.reason,
                    "); what it had written comes back all the same"));
  }
  job.phases.begin("download");
  ASSIGN_OR_RETURN(
      const Fetched fetched,
      fetch_artifacts(job.endpoint, job.run, run.status.artifacts, job.options.output, job.env));
  job.phases.end();
  ReturnedList(job.env, job.options.folder)
      .add(job.run.name, job.options.output, brought(run.status.artifacts, fetched), sent);
  report_artifacts(job, run.status, fetched);
  return all_fetched(fetched);
}

void summarise(const Job& job, const contracts::Run& run) {
  const Env& env = job.env;
  if (const auto& result = run.status.result) {
    if (const std::string enforced = enforced_text(*result, "  "); !enforced.empty()) {
      env.say("enforced:");
      env.err.write(enforced);
    }
    env.err.write(denials_text(*result));
  }
  if (run.status.published_version) {
    env.say(
        cat("published: volume ", run.spec.publish, " version ", *run.status.published_version));
  }
  const bool good = run.status.phase == contracts::RunPhase::kSucceeded;
  env.say(paint(env.err, good ? Paint::kGreen : Paint::kRed, run_line(run)));
}

// From the created run to its exit code.
Result<int> see_through(const Job& job, client::ControllerClient& client,
                        const contracts::Tree& sent) {
  TRY(follow(job, client));
  ASSIGN_OR_RETURN(const contracts::Run run, get_run_patiently(client, job.run, job.env));
  const Status brought = bring_back(job, run, sent);
  summarise(job, run);
  job.phases.finish(run.status.timings_ms);
  const int code = exit_code_of(run);
  if (brought.ok()) return code;
  if (code == kExitOk) return brought.error();
  fail(job.env, brought.error());  // the run's own end counts more
  return code;
}

int lost(const Job& job, const Error& error) {
  const int code = fail(job.env, error);
  if (code == kExitConnectionLost) {
    job.env.say(cat("  paddock logs -f ", job.run.name, " -n ", job.run.name_space));
    job.env.say(cat("  paddock wait ", job.run.name, " -n ", job.run.name_space));
  }
  return code;
}

int run_to_the_end(const Job& job, client::ControllerClient& client, Foreground& foreground,
                   const contracts::Tree& sent) {
  const Result<int> code = see_through(job, client, sent);
  if (!code.ok()) return lost(job, code.error());
  return foreground.interrupted() && *code == 143 ? kExitInterrupted : *code;
}

// The run of exactly the files that were read here: where another host has uploaded its own under
// the same name since, ours are offered again.
Result<contracts::Run> create_of(const Job& job, client::ControllerClient& client,
                                 const cas::Scan& scan, Foreground& foreground) {
  contracts::Run wanted = make_run(job.options, job.run.name, job.workspace);
  wanted.spec.workspace_root = cas::tree_root(scan.tree);
  for (int left = kUploads;; --left) {
    TRY(upload(job, client, scan));
    foreground.creating();
    Result<contracts::Run> created = client.create_run(wanted, make_uuid(job.env.random));
    if (created.ok() || created.error().reason != "WORKSPACE_CHANGED" || left == 1) return created;
  }
}

// Everything up to and including the creation of the run; a failure here started nothing. Returns
// what was sent.
Result<contracts::Tree> create_run(const Job& job, client::ControllerClient& client,
                                   Foreground& foreground) {
  TRY(check_ready(job.endpoint, kReadyPatience));
  for (int left = kReadings;; --left) {
    ASSIGN_OR_RETURN(cas::Scan scan, hash_project(job, client));
    TRY(check_requirements(job, scan));
    const Result<contracts::Run> created = create_of(job, client, scan, foreground);
    if (created.ok()) {
      foreground.created();
      job.env.say(cat("run ", created->metadata.name, " created"));
      return std::move(scan.tree);
    }
    if (created.error().reason != "FILE_CHANGED" || left == 1) return created.error();
    job.env.say(cat(created.error().message, "; the project is read again"));
  }
}

}  // namespace

int compute_command(const Parsed& parsed, Env& given) {
  const Result<ComputeOptions> options = compute_options(parsed, given);
  if (!options.ok()) return fail(given, options.error());
  const Env env = with_progress(given, options->progress);
  Phases phases(given, options->progress);
  Result<http::Endpoint> endpoint = resolve_endpoint(connection_options(parsed), env);
  if (!endpoint.ok()) return fail(env, endpoint.error(), true);
  const std::string base = slug(os::base_name(options->folder));
  const std::string name =
      options->name.empty() ? cat(base, "-", make_suffix(env.random)) : options->name;
  const Job job{
      *options, env, *endpoint, {options->name_space, name}, workspace_name(options->folder),
      phases};
  client::ControllerClient client(job.endpoint);
  const auto foreground = Foreground::start(job.endpoint, job.run, env);
  if (!foreground.ok()) return fail(env, foreground.error(), true);
  const Result<contracts::Tree> sent = create_run(job, client, **foreground);
  if (!sent.ok()) {
    const int code = fail(env, sent.error(), true);
    return (*foreground)->interrupted() ? kExitInterrupted : code;
  }
  if (options->detach) {
    env.out.write(cat(name, "\n"));
    return kExitOk;
  }
  return run_to_the_end(job, client, **foreground, *sent);
}

}  // namespace paddock::cli
