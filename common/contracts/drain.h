// A node being emptied, and what it waits for. POST nodes/{name}/drain, GET the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::contracts {

struct DrainRequest {
  wire::Wait grace{Millis(300'000)};
  static constexpr auto describe(auto&& visit) {
    return visit(field("grace", &DrainRequest::grace,
                       "how long runs and sessions may go on; what is left is ended; 0s is now"));
  }
  void validate(wire::Check& check) const;
};

struct TaintsRequest {
  std::vector<Taint> taints;
  static constexpr auto describe(auto&& visit) {
    return visit(field("taints", &TaintsRequest::taints, "all that the node then has",
                       {.required = true, .max_length = 32}));
  }
};

struct DrainedRun {
  std::string name_space;
  std::string name;
  RunPhase phase = RunPhase::kScheduled;
  std::string then;  // what becomes of it when the grace is over: retried, ended, ending
  static constexpr auto describe(auto&& visit) {
    return visit(field("namespace", &DrainedRun::name_space, "of the run"),
                 field("name", &DrainedRun::name, "of the run"),
                 field("phase", &DrainedRun::phase, "of the run"),
                 field("then", &DrainedRun::then,
                       "when the grace is over: retried, ended; ending: it is being ended now"));
  }
};

struct DrainedSession {
  std::string name_space;
  std::string name;
  static constexpr auto describe(auto&& visit) {
    return visit(field("namespace", &DrainedSession::name_space, "of the sandbox session"),
                 field("name", &DrainedSession::name, "of the sandbox session"));
  }
};

struct DrainReport {
  std::string node;
  bool cordoned = false;
  bool draining = false;
  bool drained = false;  // draining, and nothing is left
  std::optional<wire::Timestamp> evict_at;
  std::vector<DrainedRun> waiting_for;
  std::vector<DrainedSession> sessions;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("node", &DrainReport::node, "the node's name"),
        field("cordoned", &DrainReport::cordoned, "whether the node gets nothing new"),
        field("draining", &DrainReport::draining, "whether the node is being emptied"),
        field("drained", &DrainReport::drained, "whether the node is empty"),
        field("evictAt", &DrainReport::evict_at, "when runs and sessions that are left are ended"),
        field("waitingFor", &DrainReport::waiting_for, "runs that are still on the node"),
        field("sessions", &DrainReport::sessions,
              "sandbox sessions that are on it still; they end with the grace"));
  }
};

}  // namespace paddock::contracts
