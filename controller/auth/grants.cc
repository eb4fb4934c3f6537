#include "controller/auth/grants.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/auth/denial_codes.h"

namespace paddock::auth {
namespace {

using contracts::AcceleratorKind;
using contracts::Accelerators;
using contracts::Grant;
using contracts::GrantCheck;
using contracts::MediaSurface;

using Checks = std::vector<GrantCheck>;

template <class T>
bool has(const std::vector<T>& all, const T& one) {
  return all.empty() || std::ranges::find(all, one) != all.end();
}

std::string names(const std::vector<MediaSurface>& surfaces) {
  std::vector<std::string> out;
  for (const MediaSurface each : surfaces) out.emplace_back(wire::enum_name(each));
  return out.empty() ? "all" : join(out, ", ");
}

// The most of a kind that a grant gives; `any` is given by any kind and asks for no special one.
int64_t given_of(const std::vector<Accelerators>& given, AcceleratorKind kind) {
  int64_t most = 0;
  for (const Accelerators& each : given) {
    const bool same = each.kind == kind || each.kind == AcceleratorKind::kAny;
    if (same) most = std::max(most, each.count);
  }
  return most;
}

class Look {
 public:
  Look(const Grant& grant, Checks& checks) : grant_(grant), checks_(checks) {}
  void rule(const char* name, std::string asked, std::string given, bool allowed) {
    checks_.push_back({grant_.metadata.name, name, std::move(asked), std::move(given), allowed});
  }

 private:
  const Grant& grant_;
  Checks& checks_;
};

void look_at_media(const Grant& grant, MediaSurface surface, const std::string& model,
                   Checks& checks) {
  Look look(grant, checks);
  if (!grant.spec.media) return look.rule("media", "media", "nothing", false);
  const contracts::MediaGrant& media = *grant.spec.media;
  look.rule("media.surfaces", std::string(wire::enum_name(surface)), names(media.surfaces),
            has(media.surfaces, surface));
  look.rule("media.models", model, media.models.empty() ? "all" : join(media.models, ", "),
            has(media.models, model));
  if (!media.count) return;
  look.rule("media.count", "1", cat(*media.count - grant.status.media_used, " of ", *media.count),
            grant.status.media_used < *media.count);
}

void look_at_compute(const Grant& grant, const ComputeWish& wish, WallTime now, Checks& checks) {
  Look look(grant, checks);
  const contracts::ComputeGrant given = grant.spec.compute.value_or(contracts::ComputeGrant{});
  if (const auto& wanted = wish.resources.accelerators) {
    const int64_t most = given_of(given.accelerators, wanted->kind);
    look.rule("compute.accelerators", cat(wire::enum_name(wanted->kind), "=", wanted->count),
              cat(most), wanted->count <= most);
  }
  if (given.cpu && wish.resources.cpu)
    look.rule("compute.cpu", cat(*wish.resources.cpu), cat(*given.cpu),
              *wish.resources.cpu <= *given.cpu);
  if (given.memory && wish.resources.memory)
    look.rule("compute.memory", format_quantity(wish.resources.memory->bytes),
              format_quantity(given.memory->bytes), *wish.resources.memory <= *given.memory);
  if (given.timeout && wish.timeout)
    look.rule("compute.timeout", format_duration(wish.timeout->value),
              format_duration(given.timeout->value), *wish.timeout <= *given.timeout);
  if (given.deadline)
    look.rule("compute.deadline", format_time(now), format_time(given.deadline->value),
              now < given.deadline->value);
}

// Looks at every link of every chain; `look` appends the checks of one grant.
template <class LookAt>
GrantAnswer decide(const GrantChains& chains, const LookAt& look) {
  GrantAnswer answer;
  answer.decision.allowed = chains.empty();
  for (size_t i = 0; i < chains.size() && !answer.chain; ++i) {
    Checks checks;
    for (const Grant& grant : chains[i]) look(grant, checks);
    const bool all = std::ranges::all_of(checks, &GrantCheck::allowed);
    if (all) answer.chain = i;
    auto& told = answer.decision.checks;
    told.insert(told.end(), checks.begin(), checks.end());
  }
  answer.decision.allowed = chains.empty() || answer.chain.has_value();
  return answer;
}

const GrantCheck* first_failure(const contracts::GrantDecision& decision) {
  const auto found = std::ranges::find(decision.checks, false, &GrantCheck::allowed);
  return found == decision.checks.end() ? nullptr : &*found;
}

void explain(contracts::GrantDecision& decision, Reason reason) {
  if (decision.allowed) return;
  const GrantCheck* failed = first_failure(decision);
  decision.reason = reason;
  decision.message = cat("grant ", failed->grant, " gives ", failed->given, " by ", failed->rule,
                         "; asked for: ", failed->asked);
}

Reason media_reason(const contracts::GrantDecision& decision) {
  const GrantCheck* failed = first_failure(decision);
  if (failed == nullptr) return {};
  if (failed->rule == "media.surfaces") return kMediaSurfaceDenied;
  if (failed->rule == "media.models") return kMediaModelDenied;
  if (failed->rule == "media.count") return "MEDIA_COUNT_EXHAUSTED";
  return kMediaExecutionDisabled;
}

// A list that restricts nothing when empty: the part's must restrict to what the whole has.
template <class T>
bool within(const std::vector<T>& part, const std::vector<T>& whole) {
  if (whole.empty()) return true;
  return !part.empty() &&
         std::ranges::all_of(part, [&](const T& each) { return has(whole, each); });
}
template <class T>
bool at_most(const std::optional<T>& part, const std::optional<T>& whole) {
  return !whole || (part && *part <= *whole);
}

void compare_media(const contracts::MediaGrant& part, const contracts::MediaGrant& whole,
                   std::vector<Cause>& out) {
  if (!within(part.surfaces, whole.surfaces))
    out.push_back({"spec.media.surfaces", "must be among those of the parent"});
  if (!within(part.models, whole.models))
    out.push_back({"spec.media.models", "must be among those of the parent"});
  if (!at_most(part.count, whole.count))
    out.push_back({"spec.media.count", "must be at most the parent's"});
}

void compare_compute(const contracts::ComputeGrant& part, const contracts::ComputeGrant& whole,
                     std::vector<Cause>& out) {
  for (size_t i = 0; i < part.accelerators.size(); ++i) {
    const Accelerators& each = part.accelerators[i];
    if (each.count <= given_of(whole.accelerators, each.kind)) continue;
    out.push_back({cat("spec.compute.accelerators[", i, "]"), "must be at most the parent's"});
  }
  if (!at_most(part.cpu, whole.cpu))
    out.push_back({"spec.compute.cpu", "must be at most the parent's"});
  if (!at_most(part.memory, whole.memory))
    out.push_back({"spec.compute.memory", "must be at most the parent's"});
  if (!at_most(part.timeout, whole.timeout))
    out.push_back({"spec.compute.timeout", "must be at most the parent's"});
  if (!at_most(part.deadline, whole.deadline))
    out.push_back({"spec.compute.deadline", "must not be after the parent's"});
}

}  // namespace

GrantAnswer decide_media(const GrantChains& chains, MediaSurface surface,
                         const std::string& model) {
  GrantAnswer answer = decide(chains, [&](const Grant& grant, Checks& checks) {
    look_at_media(grant, surface, model, checks);
  });
  explain(answer.decision, media_reason(answer.decision));
  return answer;
}

GrantAnswer decide_compute(const GrantChains& chains, const ComputeWish& wish, WallTime now) {
  GrantAnswer answer = decide(chains, [&](const Grant& grant, Checks& checks) {
    look_at_compute(grant, wish, now, checks);
  });
  explain(answer.decision, "GRANT_DENIED");
  return answer;
}

std::optional<wire::Timestamp> deadline_of(const GrantChain& chain) {
  std::optional<wire::Timestamp> earliest;
  for (const Grant& grant : chain) {
    if (!grant.spec.compute || !grant.spec.compute->deadline) continue;
    if (!earliest || *grant.spec.compute->deadline < *earliest)
      earliest = grant.spec.compute->deadline;
  }
  return earliest;
}

std::vector<Cause> wider_fields(const contracts::GrantSpec& part,
                                const contracts::GrantSpec& whole) {
  std::vector<Cause> out;
  if (part.media && !whole.media) out.push_back({"spec.media", "the parent gives no media"});
  if (part.media && whole.media) compare_media(*part.media, *whole.media, out);
  compare_compute(part.compute.value_or(contracts::ComputeGrant{}),
                  whole.compute.value_or(contracts::ComputeGrant{}), out);
  return out;
}

bool may_name(const GrantChains& own, const GrantChain& chain) {
  if (own.empty()) return true;
  return std::ranges::any_of(own, [&](const GrantChain& mine) {
    return std::ranges::any_of(
        chain, [&](const Grant& link) { return link.metadata.uid == mine.front().metadata.uid; });
  });
}

Error denial_of(const contracts::GrantDecision& decision) {
  Error error{Code::kPermissionDenied, Reason::parse(decision.reason), decision.message};
  for (const GrantCheck& check : decision.checks) {
    if (!check.allowed)
      error.causes.push_back({check.rule, cat("grant ", check.grant, " gives ", check.given,
                                              "; asked for: ", check.asked)});
  }
  return error;
}

}  // namespace paddock::auth
