// The answer of `paddock policy explain`, for people. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/contracts/policy_explanation.h"

namespace paddock::cli {

// The place of a policy's field in the file that was asked about, `policy.yaml:4`; nothing: it is
// not from a file.
using PlaceOf = std::function<std::optional<std::string>(std::string_view field)>;

// A line for each rule, for each refusal, and for each denial that was judged.
std::string policy_text(const contracts::PolicyExplanation& explanation, const PlaceOf& place_of);

}  // namespace paddock::cli
