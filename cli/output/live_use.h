// The current use of nodes and runs, as metrics.k8s.io tells it, and as text. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/contracts/usage.h"
#include "common/wire/value.h"

namespace paddock::cli {

// Reads a NodeMetrics or PodMetrics. A value that is missing or is no amount counts as not
// measured.
contracts::Use use_in(const wire::Value& metrics);

using NodeUses = std::map<std::string, contracts::Use>;                         // by name
using RunUses = std::map<std::pair<std::string, std::string>, contracts::Use>;  // with namespace

// `1.25` of thousandths; `-`: not measured.
std::string units_text(const std::optional<int64_t>& thousandths);
std::string bytes_text(const std::optional<wire::Quantity>& bytes);
std::string count_text(const std::optional<int64_t>& count);

}  // namespace paddock::cli
