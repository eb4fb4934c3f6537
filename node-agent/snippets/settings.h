// The operator's settings for snippets on this node, and what the node found out about its
// interpreter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/ceilings.h"
#include "common/contracts/profile.h"

namespace paddock::snippets {

using contracts::field;

struct SnippetConfig {
  bool enabled = true;
  bool validator = true;
  std::vector<std::string> libraries = {"pandas", "numpy", "dateutil"};
  int64_t max_warm = 4;
  int64_t max_parallel = 16;
  std::string profile_file;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("enabled", &SnippetConfig::enabled, "whether this node takes snippets"),
        field("validator", &SnippetConfig::validator,
              "whether code is checked before it is run; the sandbox holds without it"),
        field("libraries", &SnippetConfig::libraries,
              "modules loaded beforehand in warm interpreters", {.max_length = 32}),
        field("maxWarm", &SnippetConfig::max_warm,
              "interpreters that wait, of those with libraries and of those without; 0: none",
              {.min = 0, .max = 256}),
        field("maxParallel", &SnippetConfig::max_parallel, "snippets at once",
              {.min = 1, .max = 512}),
        field("profileFile", &SnippetConfig::profile_file,
              "YAML file of the sandbox profile; empty: the built-in `snippet`"));
  }
  void validate(wire::Check& check) const;
};

// Fixed while the agent runs.
struct Setting {
  SnippetConfig config;
  contracts::Profile profile;
  contracts::NodeBounds bounds;
  std::optional<int64_t> uid;  // of the command, when the agent is root
  std::string library_dir;     // shown inside at the same path; empty: the host has none
};

// The profile that the operator chose. PROFILE_INVALID, NOT_FOUND.
Result<contracts::Profile> load_profile(const SnippetConfig& config);

}  // namespace paddock::snippets
