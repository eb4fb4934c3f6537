// Grant: what a caller or a run may use. A run names its grants, or has those of the one who
// creates it; with grants, what none of them gives is refused, and without any the operator's
// ceilings and quotas alone hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/compute_quota.h"
#include "common/contracts/media.h"
#include "common/contracts/meta.h"
#include "common/contracts/run.h"

namespace paddock::contracts {

struct MediaGrant {
  std::vector<MediaSurface> surfaces;  // empty: all
  std::vector<std::string> models;     // empty: all
  std::optional<int64_t> count;        // how many in all
  static constexpr auto describe(auto&& visit) {
    return visit(field("surfaces", &MediaGrant::surfaces, "image, video, audio; all if empty",
                       {.omit_empty = true, .max_length = 3}),
                 field("models", &MediaGrant::models, "models that may be used; all if empty",
                       {.omit_empty = true, .max_length = 256}),
                 field("count", &MediaGrant::count, "how many in all", {.min = 0}));
  }
};

struct ComputeGrant {
  std::vector<Accelerators> accelerators;  // per kind the most that a run has at once; empty: none
  std::optional<int64_t> cpu;
  std::optional<wire::Quantity> memory;
  std::optional<wire::Duration> timeout;
  std::optional<wire::Timestamp> deadline;  // runs under it have ended by then
  // Bounds all runs of the namespace together, no matter who made them and which grants they are
  // held to.
  std::optional<ComputeQuota> quota;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("accelerators", &ComputeGrant::accelerators,
              "per kind the most of a run; none if empty", {.omit_empty = true, .max_length = 8}),
        field("cpu", &ComputeGrant::cpu, "cores of a run at most", {.min = 1, .max = 4096}),
        field("memory", &ComputeGrant::memory, "memory of a run at most"),
        field("timeout", &ComputeGrant::timeout, "timeout of a run at most"),
        field("deadline", &ComputeGrant::deadline,
              "the time by which runs under the grant have ended"),
        field("quota", &ComputeGrant::quota,
              "what all runs of the namespace have at once; an administrator's to set"));
  }
};

struct GrantSpec {
  std::vector<std::string> subjects;  // whose runs have it without naming it
  std::string parent;
  std::optional<MediaGrant> media;
  std::optional<ComputeGrant> compute;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("subjects", &GrantSpec::subjects, "callers whose runs have it without naming it",
              {.omit_empty = true, .max_length = 64}),
        field("parent", &GrantSpec::parent, "the grant that this one is a part of",
              {.omit_empty = true, .max_length = 253}),
        field("media", &GrantSpec::media, "what may be generated; nothing unless given"),
        field("compute", &GrantSpec::compute, "what a run may use; no accelerator unless given"));
  }
};

struct GrantStatus {
  int64_t media_used = 0;
  std::optional<QuotaUse> quota_used;  // when it is read; not stored
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("mediaUsed", &GrantStatus::media_used, "how many were generated"),
        field("quotaUsed", &GrantStatus::quota_used, "what of spec.compute.quota is in use now"));
  }
};

struct Grant {
  static constexpr const char* kKind = "Grant";
  std::string api_version = kApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  GrantSpec spec;
  GrantStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(field("apiVersion", &Grant::api_version, "paddock.dev/v1alpha1"),
                 field("kind", &Grant::kind, "Grant"),
                 field("metadata", &Grant::metadata, "identity", {.required = true}),
                 field("spec", &Grant::spec, "what it gives"),
                 field("status", &Grant::status, "what was used of it"));
  }
};

// POST grants/{name}/explain: would this be allowed?
struct GrantQuestion {
  std::optional<MediaSurface> surface;
  std::string model;
  std::optional<Resources> resources;
  std::optional<wire::Duration> timeout;
  static constexpr auto describe(auto&& visit) {
    return visit(field("surface", &GrantQuestion::surface, "the kind of media to be generated"),
                 field("model", &GrantQuestion::model, "the model that is to generate media",
                       {.omit_empty = true}),
                 field("resources", &GrantQuestion::resources, "what a run asks for"),
                 field("timeout", &GrantQuestion::timeout, "the timeout that a run asks for"));
  }
};
struct GrantCheck {
  std::string grant;
  std::string rule;  // media.surfaces, compute.memory, …
  std::string asked;
  std::string given;
  bool allowed = false;
  static constexpr auto describe(auto&& visit) {
    return visit(field("grant", &GrantCheck::grant, "the grant that was looked at"),
                 field("rule", &GrantCheck::rule, "the rule of that grant"),
                 field("asked", &GrantCheck::asked, "what was asked for"),
                 field("given", &GrantCheck::given, "what the rule gives"),
                 field("allowed", &GrantCheck::allowed, "whether that is enough"));
  }
};
struct GrantDecision {
  bool allowed = false;
  std::string reason;
  std::string message;
  std::vector<GrantCheck> checks;
  static constexpr auto describe(auto&& visit) {
    return visit(field("allowed", &GrantDecision::allowed, "the answer"),
                 field("reason", &GrantDecision::reason, "a stable word, of a refusal",
                       {.omit_empty = true}),
                 field("message", &GrantDecision::message, "a sentence", {.omit_empty = true}),
                 field("checks", &GrantDecision::checks, "every rule that was looked at"));
  }
};

// What it bounds its namespace to, if it does.
inline std::optional<ComputeQuota> quota_of(const GrantSpec& spec) {
  return spec.compute ? spec.compute->quota : std::nullopt;
}

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Grant);
