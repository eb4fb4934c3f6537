// A Sandbox of agents.x-k8s.io, and the session that it is. Pure.
#pragma once

#include <map>
#include <string>

#include "common/contracts/profile.h"
#include "common/contracts/sandbox.h"

namespace paddock::agent_sandboxes {

// The operator's table: image to the profile that stands for it.
using Images = std::map<std::string, std::string>;
// The image that a session shows which was made without one. It is in the table of images unless
// the operator replaces that.
inline constexpr const char* kSessionImage = "paddock/session";
Images default_images();

// The security options that the profile behind this image gives a session; none for the session's
// own profile. IMAGE_NOT_SERVED, with the images that are served; `field` is where the document
// names the image.
Result<contracts::SecurityOptions> image_security(const std::string& image, std::string field,
                                                  const Images& images,
                                                  const contracts::Profiles& profiles);

// The spec of the session for a document whose fields have been checked. FailedPrecondition with a
// cause for each field: IMAGE_NOT_SERVED, INVALID_FIELD.
Result<contracts::SandboxSpec> session_spec(const wire::Value& spec, const Images& images,
                                            const contracts::Profiles& profiles);

// The time at which a session made at `created` ends: its shutdownTime, or the end of the longest
// lifetime. INVALID_FIELD for a later one.
Result<WallTime> end_of(const wire::Value& spec, WallTime created);

// The session's spec as the document changes it: its suspension. FIELD_IMMUTABLE for every other
// change but that of its end.
Result<contracts::SandboxSpec> changed_spec(const contracts::Sandbox& live,
                                            const wire::Value& spec);

// Rewrites an error about a session's fields so that it names the fields of the document.
Error in_its_words(Error error);

// Whether its record goes with it, once its time is over.
bool goes_at_its_end(const contracts::Sandbox& session);

// The session as a Sandbox, with its conditions.
wire::Value document_of(const contracts::Sandbox& session);
std::vector<contracts::Condition> conditions_of(const contracts::Sandbox& session);

}  // namespace paddock::agent_sandboxes
