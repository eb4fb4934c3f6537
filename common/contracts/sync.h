// The agent's conversation with the controller. One idempotent call, held open until something
// changes: here is what I observe; tell me what should be, and when to ask again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/usage.h"

namespace paddock::contracts {

// POST nodes/{name}/enroll, with an enrolment token. The answer's credential is shown once.
// `identity` is a secret that the agent made for itself: it alone may enrol this name again.
struct EnrollRequest {
  std::string identity;
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;  // of a node that is new; later ones are the operator's business
  static constexpr auto describe(auto&& visit) {
    return visit(field("identity", &EnrollRequest::identity, "a secret of this agent",
                       {.required = true, .min_length = 32, .max_length = 256}),
                 field("labels", &EnrollRequest::labels, "for node selection", {.max_length = 64}),
                 field("taints", &EnrollRequest::taints, "of a node that is new",
                       {.omit_empty = true, .max_length = 32}));
  }
};
struct EnrollAnswer {
  std::string credential;
  std::string node_uid;
  static constexpr auto describe(auto&& visit) {
    return visit(field("credential", &EnrollAnswer::credential, "bearer token of this node"),
                 field("nodeUid", &EnrollAnswer::node_uid, "uid of the Node object"));
  }
};

// A piece of a run's output. `seq` counts from 1 within an attempt and never skips.
struct OutputChunk {
  int64_t seq = 0;
  int64_t time_ms = 0;
  std::string stream;  // stdout, stderr, or system (the agent's own words: cache hits, phases)
  std::string data;    // base64
  static constexpr auto describe(auto&& visit) {
    return visit(field("seq", &OutputChunk::seq, "position", {.required = true, .min = 1}),
                 field("timeMs", &OutputChunk::time_ms, "node wall clock"),
                 field("stream", &OutputChunk::stream, "stdout, stderr or system",
                       {.required = true, .max_length = 16}),
                 field("data", &OutputChunk::data, "base64", {.required = true}));
  }
};

struct RunOutcome {
  RunPhase phase = RunPhase::kFailed;  // Succeeded, Failed or Canceled
  std::string reason;
  std::string message;
  std::optional<SandboxResult> result;  // absent if the command never started
  std::vector<Artifact> artifacts;      // their blobs are stored before this is sent
  std::vector<LeftOut> left_out;
  // The node started nothing, by no fault of the run: it is placed elsewhere, and no attempt
  // counts.
  std::optional<bool> refused;
  // What its files take, where it was refused because there is no room for them.
  std::optional<wire::Quantity> disk_needed;
  static constexpr auto describe(auto&& visit) {
    return visit(field("phase", &RunOutcome::phase, "terminal phase", {.required = true}),
                 field("reason", &RunOutcome::reason, "a stable word", {.omit_empty = true}),
                 field("message", &RunOutcome::message, "a sentence", {.omit_empty = true}),
                 field("result", &RunOutcome::result, "from the sandbox"),
                 field("artifacts", &RunOutcome::artifacts, "collected files"),
                 field("leftOut", &RunOutcome::left_out, "files left out"),
                 field("refused", &RunOutcome::refused,
                       "whether the node could not take it on, and started nothing of it"),
                 field("diskNeeded", &RunOutcome::disk_needed,
                       "bytes of disk that the run's files take, where there was no room "
                       "for them"));
  }
};

// What the agent observes of one run it holds.
struct RunReport {
  std::string run_uid;
  int64_t attempt = 0;
  RunPhase phase = RunPhase::kScheduled;  // Scheduled, Preparing or Running; the outcome ends it
  std::string message;
  std::optional<wire::Timestamp> started_at;
  std::map<std::string, int64_t> timings_ms;
  std::vector<OutputChunk> output;     // not yet acknowledged, at most 512 KiB a call
  std::optional<RunOutcome> outcome;   // only once all output was acknowledged or is in this report
  std::optional<int64_t> input_acked;  // highest input seq that was written, or could not be
  std::optional<bool> stdin_closed;    // the command takes no input any more
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("runUid", &RunReport::run_uid, "which run", {.required = true}),
        field("attempt", &RunReport::attempt, "which attempt: the fence",
              {.required = true, .min = 1}),
        field("phase", &RunReport::phase, "observed phase"),
        field("message", &RunReport::message, "for people", {.omit_empty = true}),
        field("startedAt", &RunReport::started_at, "when the command started"),
        field("timingsMs", &RunReport::timings_ms, "per phase", {.omit_empty = true}),
        field("output", &RunReport::output, "new output", {.omit_empty = true}),
        field("outcome", &RunReport::outcome, "how it ended"),
        field("inputAcked", &RunReport::input_acked, "highest input seq written", {.min = 0}),
        field("stdinClosed", &RunReport::stdin_closed,
              "whether the command takes no input any more"));
  }
};

struct SyncRequest {
  std::string process;  // random per agent process; a newer one supersedes an older one
  int64_t generation =
      0;  // larger for a newer agent process of the same node (its start time in ms)
  std::optional<NodeStatus> status;  // on the first call of a process, and when it changes
  std::map<std::string, std::string> labels;
  std::vector<RunReport> runs;  // every run this node holds
  std::string known_version;    // of the last answer; held open while it is current
  int64_t wait_ms = 0;          // how long the server may hold the call
  // This agent process ends: it starts nothing any more, and its runs are all that it names here.
  std::optional<bool> leaving;
  std::optional<UsageReport> usage;  // a newer measurement than in the calls before
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("session", &SyncRequest::process, "this agent process",
              {.required = true, .min_length = 8, .max_length = 64}),
        field("generation", &SyncRequest::generation, "start time of this agent process"),
        field("status", &SyncRequest::status, "the host"),
        field("labels", &SyncRequest::labels, "node labels",
              {.omit_empty = true, .max_length = 64}),
        field("runs", &SyncRequest::runs, "every run held here", {.max_length = 10'000}),
        field("knownVersion", &SyncRequest::known_version, "version of the desired state known",
              {.omit_empty = true}),
        field("waitMs", &SyncRequest::wait_ms, "hold at most this long", {.min = 0, .max = 60'000}),
        field("leaving", &SyncRequest::leaving,
              "whether this agent process ends: nothing is started here any more"),
        field("usage", &SyncRequest::usage, "what the node and its runs use right now"));
  }
};

enum class DesiredState { kRun, kCancel };

// What should be, for one run. A run that the node holds and no assignment names is not its run:
// the agent ends it and forgets it. An acknowledged outcome is forgotten too.
struct Assignment {
  std::string run_uid;
  std::string name_space;
  std::string name;
  int64_t attempt = 0;
  DesiredState desired = DesiredState::kRun;
  std::optional<bool> kill_now;  // with desired cancel: without what is left of the run's grace
  RunSpec spec;
  SandboxPolicy policy;                            // effective
  std::map<std::string, std::string> environment;  // the profile's
  std::string workspace_root;
  std::vector<MountedVolume> volumes;
  bool tool_bundle = false;      // there is one, to ask for before the launch
  int64_t output_acked = 0;      // highest seq stored
  std::vector<RunInput> inputs;  // for the command's standard input, not acknowledged yet
  std::vector<std::string> artifact_types;  // only these come back; empty: all do
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("runUid", &Assignment::run_uid, "which run", {.required = true}),
        field("namespace", &Assignment::name_space, "of the run"),
        field("name", &Assignment::name, "of the run"),
        field("attempt", &Assignment::attempt, "the fence", {.required = true}),
        field("desired", &Assignment::desired, "run or cancel"),
        field("killNow", &Assignment::kill_now,
              "whether it is killed without what is left of its grace"),
        field("spec", &Assignment::spec, "of the run"),
        field("policy", &Assignment::policy, "effective"),
        field("environment", &Assignment::environment, "of the profile", {.omit_empty = true}),
        field("workspaceRoot", &Assignment::workspace_root, "tree to materialise",
              {.omit_empty = true}),
        field("volumes", &Assignment::volumes, "read-only trees at /volumes/NAME",
              {.omit_empty = true}),
        field("toolBundle", &Assignment::tool_bundle,
              "whether the agent asks for the run's tool bundle", {.omit_empty = true}),
        field("outputAcked", &Assignment::output_acked, "highest output seq stored"),
        field("inputs", &Assignment::inputs, "lines for its standard input, each to write once",
              {.omit_empty = true}),
        field("artifactTypes", &Assignment::artifact_types,
              "endings of the artifacts that may come back, such as .csv; empty: all",
              {.omit_empty = true, .max_length = 256}));
  }
};

struct SyncAnswer {
  std::string version;
  std::vector<Assignment> runs;
  int64_t lease_ms = 15'000;  // without a call for this long the node counts as lost
  std::optional<std::vector<std::string>> sessions;  // uids of all Sandboxes that live here
  static constexpr auto describe(auto&& visit) {
    return visit(field("version", &SyncAnswer::version, "of this desired state"),
                 field("runs", &SyncAnswer::runs, "every run that should be held here"),
                 field("leaseMs", &SyncAnswer::lease_ms, "call again before this is over"),
                 field("sessions", &SyncAnswer::sessions,
                       "every session that lives here; the files of others go"));
  }
};

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::DesiredState> {
  using E = contracts::DesiredState;
  static constexpr std::array values = {std::pair{E::kRun, std::string_view("run")},
                                        std::pair{E::kCancel, std::string_view("cancel")}};
};

PADDOCK_EXTERN_CODEC(paddock::contracts::EnrollRequest);
PADDOCK_EXTERN_CODEC(paddock::contracts::EnrollAnswer);
PADDOCK_EXTERN_CODEC(paddock::contracts::SyncRequest);
PADDOCK_EXTERN_CODEC(paddock::contracts::SyncAnswer);
