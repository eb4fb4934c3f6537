// Sandboxes as E2B's tools ask for them and see them, and the sessions that they are. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/base/time.h"
#include "common/contracts/ceilings.h"
#include "common/contracts/profile.h"
#include "common/contracts/sandbox.h"
#include "controller/agent_sandboxes/mapping.h"

namespace paddock::e2b {

// The release of their program inside a sandbox that we answer like: tools of today speak to it
// without asking for what came later (uploads that are not forms, metadata of files).
inline constexpr const char* kEnvdVersion = "0.5.6";
// The template of a plain session, which every controller has; others are the operator's images.
inline constexpr const char* kBaseTemplate = "base";
inline constexpr Millis kDefaultTimeout = std::chrono::minutes(5);
inline constexpr const char* kTemplateNote = "e2b.paddock.dev/template";
inline constexpr const char* kMetadataNote = "e2b.paddock.dev/metadata";

// What an operator offers to sandboxes.
struct Offer {
  const agent_sandboxes::Images& images;
  const contracts::Profiles& profiles;
  const contracts::Ceilings& ceilings;
};

// Releases of their tools before 2.51 send `allow_internet_access: true` unless their caller says
// false, so nobody can tell whether it was asked for: taken out, the template decides.
void forget_default_internet(wire::Value& request);

// The session of this name that a request for a new sandbox asks for. FailedPrecondition
// (E2B_NOT_SERVED, IMAGE_NOT_SERVED), InvalidArgument (INVALID_FIELD), with the field.
Result<contracts::Sandbox> new_session(const wire::Value& request, const Offer& offer,
                                       std::string name);

// The lifetime that a request asks for with `timeout`, in seconds from now; none if it has no such
// field. InvalidArgument (INVALID_FIELD).
Result<std::optional<Millis>> timeout_of(const wire::Value& request);
// The lifetime with which a session ends `timeout` after `now`. INVALID_FIELD for one that no
// session may have.
Result<Millis> lifetime_until(const contracts::Sandbox& session, WallTime now, Millis timeout);

// A session as lists and getInfo() show it. Not for one that has ended.
wire::Value sandbox_info(const contracts::Sandbox& session);
// The answer to create() and connect(). `access_token` gives access to the sandbox's commands and
// files: it is the caller's own token.
wire::Value sandbox_access(const contracts::Sandbox& session, std::string_view access_token);
// The session's template and metadata. An annotation that is not valid metadata counts as none.
std::string template_of(const contracts::Sandbox& session);
std::map<std::string, std::string> metadata_of(const contracts::Sandbox& session);

// The filter of a list.
struct Filter {
  std::set<std::string> states;  // none: all
  std::map<std::string, std::string> metadata;
  std::string template_id;
  std::optional<WallTime> started_after;
};
using Parameter = std::function<std::optional<std::string>(std::string_view name)>;
// InvalidArgument (PARAMETER_INVALID); FailedPrecondition (E2B_NOT_SERVED) for an order.
Result<Filter> filter_of(const Parameter& parameter);
bool fits(const contracts::Sandbox& session, const Filter& filter);

}  // namespace paddock::e2b
