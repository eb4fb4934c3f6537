#include "controller/nodes/report_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "common/base/text.h"
#include "common/contracts/tree_path.h"
#include "common/wire/json.h"
#include "controller/base/code_word.h"

namespace paddock::nodes {
namespace {

using contracts::Artifact;
using contracts::RunOutcome;

// The phases of which agents say how long they took.
constexpr std::array<std::string_view, 6> kTimed = {"workspace",        "volumes", "environment",
                                                    "environmentBuild", "run",     "artifacts"};
// An agent sends less of each: the sandbox's result has 64 KiB of a stream, and any byte may be
// three in UTF-8; 288 denials (sandbox/result/denials.h) of the run, of its network and of commands
// in it, with names of 1,000 bytes that may be escaped; 257 flows (sandbox/egress/records.h);
// 10,000 artifacts and 1,001 files that were left out (artifacts/collect.h), to which those come
// that could not be sent.
constexpr size_t kMostSentence = size_t{64} << 10;
constexpr size_t kMostStream = size_t{256} << 10;
constexpr size_t kMostName = size_t{8} << 10;
constexpr size_t kMostDenials = 1'024;
constexpr size_t kMostFlows = 512;
constexpr size_t kMostCapabilities = 128;
constexpr size_t kMostRequested = size_t{256} << 10;  // bytes of JSON: of a list of a policy's
// Bounds for what a report repeats of a run's request. A run may ask for as much as the kernel
// takes of arguments and variables.
constexpr size_t kMostPolicy = size_t{2} << 20;  // bytes of JSON
constexpr size_t kMostCommand = size_t{2} << 20;
constexpr size_t kAWord = 8;  // bytes of a command's word beside its own
constexpr size_t kMostArtifacts = 10'000;
constexpr size_t kMostLeftOut = 12'000;
// Bounds for what a node may report of itself. 16 cards in seven slices each are 112 devices; its
// capabilities and the canaries' results come to 50 KiB of JSON.
constexpr size_t kMostDevices = 512;
constexpr size_t kMostConditions = 16;
constexpr size_t kMostStatus = size_t{256} << 10;
constexpr size_t kMostStatusText = size_t{4} << 10;
constexpr size_t kLeastStatusText = 16;
constexpr size_t kMostLabel = 1'024;

// Makes a path safe to show to people: without control characters, and not too long.
std::string harmless(std::string path) {
  std::ranges::replace_if(
      path, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  if (path.size() > 4096) path.resize(utf8_prefix(std::string_view(path).substr(0, 4096)));
  return path;
}

struct Fault {
  Reason reason;
  std::string text;
};

// Why it is no artifact; nothing: it is one.
Result<std::optional<Fault>> fault_of(const Artifact& artifact, const KnownArtifact& known) {
  if (const std::string fault = contracts::tree_path_fault(artifact.path); !fault.empty())
    return std::optional(Fault{"PATH_INVALID", cat("its node named a path that ", fault)});
  ASSIGN_OR_RETURN(const bool sent, known(artifact));
  if (sent) return std::optional<Fault>();
  return std::optional(Fault{kArtifactNotSent, "its node had not sent it for this run"});
}

void fail(RunOutcome& outcome, const std::string& path, const std::string& why) {
  if (outcome.phase != contracts::RunPhase::kSucceeded) return;
  outcome.phase = contracts::RunPhase::kFailed;
  outcome.reason = kArtifactNotSent;
  outcome.message = cat("the command succeeded, but ", path, " is no artifact: ", why);
}

void cut(std::string& text, size_t most) {
  if (text.size() > most) text.resize(utf8_prefix(std::string_view(text).substr(0, most)));
}

void bound_lists(contracts::SandboxResult& result) {
  if (result.denials.size() > kMostDenials) result.denials.resize(kMostDenials);
  for (contracts::Denial& each : result.denials) {
    for (auto* text : {&each.what, &each.target, &each.executable, &each.rule, &each.remedy})
      cut(*text, kMostName);
  }
  auto& flows = result.usage.network;
  if (flows.size() > kMostFlows) flows.resize(kMostFlows);
  for (contracts::NetworkFlow& each : flows) {
    for (auto* text : {&each.name, &each.address, &each.problem}) cut(*text, kMostName);
  }
}

void bound_enforced(std::map<std::string, contracts::Enforcement>& enforced) {
  std::erase_if(enforced, [](const auto& each) { return each.first.size() > 64; });
  while (enforced.size() > kMostCapabilities) enforced.erase(std::prev(enforced.end()));
  for (auto& [name, each] : enforced) {
    cut(each.mechanism, kMostName);
    cut(each.details, kMostName);
    if (wire::to_json(each.requested).size() > kMostRequested) each.requested = {};
  }
}

// Cuts a command that is too long, and adds `…` as its last word to show that.
void bound_command(std::vector<std::string>& words) {
  size_t left = kMostCommand;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t cost = words[i].size() + kAWord;
    if (cost <= left) {
      left -= cost;
      continue;
    }
    cut(words[i], left);
    words.resize(i + 1);
    words.emplace_back("…");
    return;
  }
}

void bound_result(contracts::SandboxResult& result) {
  cut(result.reason, kMostSentence);
  if (result.not_started) {
    cut(result.not_started->message, kMostSentence);
    cut(result.not_started->field, kMostName);
  }
  cut(result.limit, kMostName);
  cut(result.trace_id, kMostName);
  cut(result.out, kMostStream);
  cut(result.err, kMostStream);
  bound_lists(result);
  bound_enforced(result.enforced);
  bound_command(result.cmd);
  if (result.policy && wire::to_json(wire::encode(*result.policy)).size() > kMostPolicy)
    result.policy.reset();
}

void bound_files(RunOutcome& outcome) {
  if (outcome.artifacts.size() > kMostArtifacts) {
    fail(outcome, harmless(outcome.artifacts[kMostArtifacts].path),
         cat("a run has ", kMostArtifacts, " at most"));
    outcome.artifacts.resize(kMostArtifacts);
  }
  auto& left_out = outcome.left_out;
  for (contracts::LeftOut& each : left_out) cut(each.rule, kMostName);
  if (left_out.size() <= kMostLeftOut) return;
  const size_t more = left_out.size() - kMostLeftOut;
  left_out.resize(kMostLeftOut);
  left_out.push_back(
      {"…", cat("and ", more, " more that are not listed"), Reason("MORE_LEFT_OUT")});
}

template <class T>
void shorten(std::vector<T>& list, size_t most) {
  if (list.size() > most) list.erase(list.begin() + static_cast<std::ptrdiff_t>(most), list.end());
}

void cut_all(const std::vector<std::string*>& texts, size_t most) {
  for (std::string* each : texts) cut(*each, most);
}

void cut_texts(contracts::NodeStatus& status, size_t most) {
  cut_all({&status.reason, &status.message, &status.agent_version, &status.os, &status.arch}, most);
  for (contracts::Condition& each : status.conditions)
    cut_all({&each.type, &each.status, &each.reason, &each.message}, most);
  for (std::string& each : status.cpu_features) cut(each, most);
  for (contracts::Device& each : status.devices)
    cut_all({&each.kind, &each.id, &each.model, &each.fault}, most);
  for (contracts::Capability& each : status.capabilities)
    cut_all({&each.name, &each.mechanism, &each.details, &each.reason}, most);
  for (contracts::Canary& each : status.canaries)
    cut_all({&each.name, &each.capability, &each.attempt, &each.expected, &each.got, &each.remedy},
            most);
  if (!status.ceilings) return;
  // A part of a path would allow more.
  for (auto* list : {&status.ceilings->host_mounts, &status.ceilings->devices})
    std::erase_if(*list, [&](const std::string& each) { return each.size() > most; });
}

}  // namespace

void bound_node(contracts::SyncRequest& request) {
  std::erase_if(request.labels, [](const auto& each) {
    return each.first.size() > kMostLabel || each.second.size() > kMostLabel;
  });
  if (!request.status) return;
  contracts::NodeStatus& status = *request.status;
  shorten(status.conditions, kMostConditions);
  shorten(status.devices, kMostDevices);
  shorten(status.capabilities, kMostCapabilities);
  status.cool_down.reset();  // which is the controller's
  for (size_t most = kMostStatusText; most >= kLeastStatusText; most /= 4) {
    cut_texts(status, most);
    if (wire::to_json(wire::encode(status)).size() <= kMostStatus) return;
  }
}

void bound_report(contracts::RunReport& report) {
  std::erase_if(report.timings_ms, [](const auto& each) {
    return std::ranges::find(kTimed, each.first) == kTimed.end();
  });
  cut(report.message, kMostSentence);
  if (!report.outcome) return;
  cut(report.outcome->message, kMostSentence);
  bound_files(*report.outcome);
  if (report.outcome->result) bound_result(*report.outcome->result);
}

Status check_output_size(const contracts::SyncRequest& request) {
  size_t bytes = 0;
  for (const contracts::RunReport& report : request.runs) {
    for (const contracts::OutputChunk& chunk : report.output) bytes += chunk.data.size() / 4 * 3;
  }
  if (bytes <= kMostOutputBytes) return {};
  return Error{Code::kTooLarge,
               "OUTPUT_TOO_LARGE",
               cat("a call may carry ", kMostOutputBytes, " bytes of output; send less at once"),
               {{"runs.output", "less at once"}}};
}

void tidy_codes(RunOutcome& outcome) {
  const auto tidy = [](std::string& code) { code = code_or_invalid(code); };
  tidy(outcome.reason);
  for (contracts::LeftOut& each : outcome.left_out) tidy(each.reason);
  if (!outcome.result) return;
  for (auto* code : {&outcome.result->code, &outcome.result->error_class})
    if (*code) tidy(**code);
  if (outcome.result->not_started) tidy(outcome.result->not_started->reason);
  for (auto& [name, each] : outcome.result->enforced) tidy(each.reason);
  for (contracts::NetworkFlow& each : outcome.result->usage.network) tidy(each.reason);
}

Result<size_t> drop_unproven(RunOutcome& outcome, const KnownArtifact& known) {
  std::vector<Artifact> proven;
  size_t dropped = 0;
  for (contracts::LeftOut& each : outcome.left_out) each.path = harmless(std::move(each.path));
  for (Artifact& artifact : outcome.artifacts) {
    ASSIGN_OR_RETURN(const std::optional<Fault> fault, fault_of(artifact, known));
    if (!fault) {
      proven.push_back(std::move(artifact));
      continue;
    }
    ++dropped;
    const std::string path = harmless(std::move(artifact.path));
    fail(outcome, path, fault->text);
    outcome.left_out.push_back({path, fault->text, fault->reason});
  }
  outcome.artifacts = std::move(proven);
  return dropped;
}

}  // namespace paddock::nodes
