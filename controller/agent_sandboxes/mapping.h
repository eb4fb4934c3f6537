// A Sandbox of agents.x-k8s.io, and the session that it is. Pure.
#pragma once

#include <map>
#include <string>

#include "common/contracts/profile.h"
#include "common/contracts/sandbox.h"

namespace paddock::agent_sandboxes {

// The operator's table: image to the profile that stands for it.
using Images = std::map<std::string, std::string>;
// What a session shows that was made without an image, and in the table unless the operator says.
inline constexpr const char* kSessionImage = "paddock/session";
Images default_images();

// What a session of this image has, of the profile that stands for it; of the session's own profile
// that is nothing. IMAGE_NOT_SERVED, with those that are; `field` is where the name was said.
Result<contracts::SecurityOptions> image_security(const std::string& image, std::string field,
                                                  const Images& images,
                                                  const contracts::Profiles& profiles);

// What the session of a document is, whose fields are served. FailedPrecondition with a cause for
// each field: IMAGE_NOT_SERVED, INVALID_FIELD.
Result<contracts::SandboxSpec> session_spec(const wire::Value& spec, const Images& images,
                                            const contracts::Profiles& profiles);

// When it is over: its shutdownTime, or the longest lifetime of a session that was made at
// `created`. INVALID_FIELD for a later one.
Result<WallTime> end_of(const wire::Value& spec, WallTime created);

// How a document, whose fields are served, changes a session: its suspension. FIELD_IMMUTABLE for
// all else but its time.
Result<contracts::SandboxSpec> changed_spec(const contracts::Sandbox& live,
                                            const wire::Value& spec);

// The same with the fields of a session, in a refusal of one, in the words of the document.
Error in_its_words(Error error);

// Whether its record goes with it, once its time is over.
bool goes_at_its_end(const contracts::Sandbox& session);

// The session as a Sandbox, with its conditions.
wire::Value document_of(const contracts::Sandbox& session);
std::vector<contracts::Condition> conditions_of(const contracts::Sandbox& session);

}  // namespace paddock::agent_sandboxes
