// `paddock run`, `compute` and `build`: a command on a node, with the files of a project or without
// any; its output here, its results in the folder.
#include "cli/client/connection.h"
#include "cli/client/fetch_artifacts.h"
#include "cli/client/foreground.h"
#include "cli/client/health.h"
#include "cli/client/returned_files.h"
#include "cli/client/run_plan.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_job.h"
#include "cli/grammar/limits_text.h"
#include "cli/grammar/other_way.h"
#include "cli/instance/stdin_file.h"
#include "cli/options/compute_options.h"
#include "cli/options/names.h"
#include "cli/options/option_files.h"
#include "cli/output/event_printer.h"
#include "cli/output/failure_hint.h"
#include "cli/output/run_report.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "common/base/parallel.h"
#include "common/cas/tree.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr Millis kReadyTime{5000};  // of one question
constexpr int kReadings = 3;        // of a project whose files change on their way
constexpr int kUploads =
    8;  // another host with a project of this path may upload between two steps

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

std::string artifacts_command(const Job& job) {
  const std::string& where = job.run.name_space;
  return cat("paddock artifacts ", job.run.name, where == "default" ? "" : cat(" -n ", where),
             job.env.connection);
}

// The folders that were asked for and in which the command, which has run, left no file.
std::vector<std::string> folders_without_files(const contracts::Run& run) {
  const auto& result = run.status.result;
  const bool has_run = result && !result->not_started;
  const bool left_none = has_run && run.status.artifacts.empty() && !contracts::is_array(run.spec);
  return left_none ? run.spec.artifacts.dirs : std::vector<std::string>();
}

// Also of a run that failed: reports of failed tests are why tests are run. It is said, so that
// half a result is not taken for a whole one.
Status bring_back(const Job& job, const contracts::Run& run, const contracts::Tree& sent) {
  job.phases.begin("download");
  ASSIGN_OR_RETURN(
      const Fetched fetched,
      fetch_artifacts(job.endpoint, job.run, run.status.artifacts, job.options.output, job.env));
  job.phases.end();
  if (!job.options.folder.empty())
    ReturnedList(job.env, job.options.folder)
        .add(job.run.name, job.options.output, brought(run.status.artifacts, fetched), sent);
  const CameBack back{.artifacts = brought(run.status.artifacts, fetched),
                      .left_out = run.status.left_out,
                      .asked = folders_without_files(run),
                      .folder = job.options.output,
                      .succeeded = run.status.phase == contracts::RunPhase::kSucceeded,
                      .whole_list = artifacts_command(job)};
  for (const contracts::Artifact& artifact : back.artifacts)
    job.phases.artifact(artifact, os::join_path(back.folder, artifact.path));
  job.env.err.write(came_back_text(back, job.options.verbose));
  return all_fetched(fetched);
}

void summarise(const Job& job, const contracts::Run& run, const contracts::Tree& sent) {
  const Env& env = job.env;
  if (const auto& result = run.status.result) {
    env.err.write(enforced_summary(*result, job.options.verbose));
    env.err.write(denials_text(result->denials));
    env.err.write(unreached_text(*result));
  }
  if (run.status.published_version) {
    env.say(
        cat("published: volume ", run.spec.publish, " version ", *run.status.published_version));
  }
  const bool good = run.status.phase == contracts::RunPhase::kSucceeded;
  env.say(paint(env.err, good ? Paint::kGreen : Paint::kRed, run_line(run)));
  if (const auto& result = run.status.result) env.err.write(limits_struck(*result, "run"));
  if (contracts::is_array(run.spec)) {
    const std::string& name = run.metadata.name;
    env.say(cat(contracts::is_gang(run.spec) ? "each member" : "each element",
                " has its own log and files: paddock logs ", name, ", paddock artifacts ", name,
                " --output DIR"));
  }
  if (const std::string hint = failure_hint(run, sent); !hint.empty())
    env.say(cat(paint(env.err, Paint::kYellow, "hint:"), " ", hint));
}

// A run that has ended, whether what it made is here, and how this command would end.
struct Ended {
  contracts::Run run;
  Status brought;
  int code = 0;
};

// From the created run to its end.
Result<Ended> see_through(const Job& job, client::ControllerClient& client,
                          const contracts::Tree& sent) {
  TRY(follow(job, client));
  ASSIGN_OR_RETURN(contracts::Run run, get_run_patiently(client, job.run, job.env));
  Status brought = bring_back(job, run, sent);
  summarise(job, run, sent);
  job.phases.finish(run.status.timings_ms);
  const int code = exit_code_of(run);
  return Ended{std::move(run), std::move(brought), code};
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
  const Result<Ended> ended = see_through(job, client, sent);
  foreground.ended();
  if (!ended.ok()) return lost(job, ended.error());
  const int missing = ended->brought.ok() ? kExitOk : lost(job, ended->brought.error());
  const int of_run =
      foreground.interrupted() && ended->code == 143 ? kExitInterrupted : ended->code;
  const int code = of_run == kExitOk ? missing : of_run;  // the run's own end counts more
  job.phases.result(ended->run, code);
  return code;
}

// The run of exactly the files that were read here: where another host has uploaded its own under
// the same name since, ours are offered again.
Result<contracts::Run> create_of(const Job& job, client::ControllerClient& client,
                                 const cas::Scan& scan, contracts::Run wanted,
                                 Foreground& foreground) {
  if (wanted.spec.workspace.empty()) {
    foreground.creating();
    return client.create_run(wanted, make_uuid(job.env.random));
  }
  wanted.spec.workspace_root = cas::tree_root(scan.tree);
  for (int left = kUploads;; --left) {
    TRY(upload(job, client, scan, wanted));
    foreground.creating();
    Result<contracts::Run> created = client.create_run(wanted, make_uuid(job.env.random));
    if (created.ok() || created.error().reason != "WORKSPACE_CHANGED" || left == 1) return created;
  }
}

// A run that exists, and the files that were sent for it.
struct Created {
  contracts::Run run;
  contracts::Tree sent;
};

// Checks that some node is large enough: a user who waits for the run would otherwise wait for a
// node that does not exist. Asked only where the run wants something that a node may not have. All
// other faults are found when it is created.
Status check_size(const Job& job, client::ControllerClient& client, contracts::Run wanted,
                  const contracts::Tree& tree) {
  const bool asks = wanted.spec.resources || wanted.spec.nodes;
  if (!asks || job.options.detach || job.options.wait_for_node) return {};
  wanted.spec.workspace.clear();
  const Result<wire::Value> answer = ask_plan(client, wanted, tree);
  const auto plan = answer.ok() ? wire::decode<contracts::RunPlan>(*answer) : answer.error();
  return plan.ok() ? check_some_node_is_large_enough(*plan) : Status();
}

Result<Created> create_once(const Job& job, client::ControllerClient& client,
                            const std::optional<StdinFile>& input, Foreground& foreground) {
  ASSIGN_OR_RETURN(cas::Scan scan, hash_project(job, client));
  TRY(check_requirements(job, scan));
  contracts::Run wanted = make_run(job.options, job.run.name, job.workspace);
  if (input) {
    ASSIGN_OR_RETURN(wanted.spec.stdin_file, input->add_to(scan, job.options.folder));
  }
  TRY(check_size(job, client, wanted, scan.tree));
  ASSIGN_OR_RETURN(contracts::Run run, create_of(job, client, scan, std::move(wanted), foreground));
  return Created{std::move(run), std::move(scan.tree)};
}

// As patiently as every request; what is in the way then is said as well as it can be.
Status wait_until_ready(const Job& job, client::ControllerClient& client) {
  http::Request request;
  request.target = "/readyz";
  request.timeout = kReadyTime;
  if (client.send_by(*http::make_client(job.endpoint), request).ok()) return {};
  return check_ready(job.endpoint, kReadyTime);
}

// Everything up to and including the creation of the run; a failure here started nothing. Returns
// what was sent.
Result<contracts::Tree> create_run(const Job& job, client::ControllerClient& client,
                                   Foreground& foreground) {
  // Before much is read. With several controllers, one may be about to lead, and then the calls
  // wait by themselves.
  if (http::addresses_in(job.endpoint.base_url).size() == 1) TRY(wait_until_ready(job, client));
  std::optional<StdinFile> input;
  if (const std::string& source = job.options.stdin_source; !source.empty()) {
    ASSIGN_OR_RETURN(StdinFile opened, StdinFile::open(source, job.env));
    input.emplace(std::move(opened));
  }
  for (int left = kReadings;; --left) {
    Result<Created> created = create_once(job, client, input, foreground);
    if (created.ok()) {
      foreground.created();
      job.phases.created(created->run);
      job.env.say(cat("run ", created->run.metadata.name, " created"));
      if (const std::string limits = limits_line(created->run); !limits.empty())
        job.env.say(limits);
      return std::move(created->sent);
    }
    if (created.error().reason != "FILE_CHANGED" || left == 1) return created.error();
    job.env.say(cat(created.error().message, "; the project is read again"));
  }
}

// A run that was given no name is called after the project, or else after the program.
std::string run_name(const ComputeOptions& options, const Env& env) {
  if (!options.name.empty()) return options.name;
  const std::string& from = options.folder.empty() ? options.command.argv.front() : options.folder;
  return cat(slug(os::base_name(from)), "-", make_suffix(env.random));
}

// A standard input without a project is a workspace too, one of some hundreds: enough that runs at
// the same time do not wait for each other, and no more for whoever lists them. What a run reads is
// named by its digest, also where two of them meet.
std::string workspace_of(const ComputeOptions& options, const Env& env) {
  if (!options.folder.empty()) return workspace_name(options.folder);
  return options.stdin_source.empty() ? "" : cat("paddock-stdin-", make_suffix(env.random, 2));
}

}  // namespace

int compute_command(const Parsed& parsed, Env& given) {
  const Result<OptionFiles> files = read_option_files(parsed);
  if (!files.ok()) return fail(given, files.error());
  const Result<ComputeOptions> options = compute_options(parsed, given, *files);
  if (!options.ok()) return fail(given, options.error());
  const Env env = with_progress(given, options->progress);
  Phases phases(given, options->progress);
  Result<http::Endpoint> endpoint = resolve_endpoint(connection_options(parsed), env);
  if (!endpoint.ok()) return fail(env, endpoint.error(), true);
  const std::string name = run_name(*options, env);
  const Job job{*options, env, *endpoint, {options->name_space, name}, workspace_of(*options, env),
                phases};
  client::ControllerClient client(job.endpoint, env.patience);
  client.set_parallel(at_once);
  say_when_waiting(client, env);
  const auto foreground = Foreground::start(job.endpoint, job.run, env);
  if (!foreground.ok()) return fail(env, foreground.error(), true);
  const Result<contracts::Tree> sent = create_run(job, client, **foreground);
  if (!sent.ok()) {
    const int code = fail(env, sent.error(), true);
    tell_other_way(parsed, sent.error(), env);
    return (*foreground)->interrupted() ? kExitInterrupted : code;
  }
  if (options->detach) {
    env.out.write(cat(name, "\n"));
    return kExitOk;
  }
  return run_to_the_end(job, client, **foreground, *sent);
}

}  // namespace paddock::cli
