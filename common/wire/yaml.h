// YAML text <-> Value: the JSON subset of YAML 1.2 core. Aliases, anchors, tags,
// merge keys and duplicate keys are refused with line and column. Quoted scalars stay strings.
// Errors have reason MALFORMED_YAML (or DOCUMENT_TOO_DEEP, DOCUMENT_TOO_LARGE). JSON text is also
// YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/json.h"

namespace paddock::wire {

// One document; null when there is none.
Result<Value> parse_yaml(std::string_view text, const ParseLimits& limits = {});
// Those that `---` separates, at most `most`; an empty one is null. The limits on depth and values
// are each document's own.
Result<std::vector<Value>> parse_yaml_documents(std::string_view text, size_t most,
                                                const ParseLimits& limits = {});
// Block style; strings that YAML would read as something else are quoted. parse_yaml reads it back.
std::string to_yaml(const Value& value);

}  // namespace paddock::wire
