// Option texts as values, with an error that names the option. Pure.
#pragma once

#include <optional>

#include "cli/options/command_row.h"
#include "common/base/units.h"
#include "common/contracts/run.h"

namespace paddock::cli {

// The option's duration; nothing when it was not given.
Result<std::optional<Millis>> duration_option(const Parsed& parsed, const std::string& name);
// The same where 0s is an answer: not at all, or now.
Result<std::optional<Millis>> wait_option(const Parsed& parsed, const std::string& name);
Result<std::optional<int64_t>> integer_option(const Parsed& parsed, const std::string& name,
                                              int64_t min, int64_t max);
Result<std::optional<int64_t>> quantity_option(const Parsed& parsed, const std::string& name);
// Warnings about sizes that are almost certainly a mistake: `--disk 10` is ten bytes.
std::vector<std::string> size_remarks(const Parsed& parsed);

// `--NAME` sets it and `--no-NAME` takes it back; else it stays as it was. USAGE for both.
Result<bool> switch_option(const Parsed& parsed, const std::string& name, bool remembered);

// `nvidia`, `apple=2`, `any=1`.
Result<contracts::Accelerators> parse_accelerator(std::string_view text);
// `NAME` or `NAME@VERSION`.
Result<contracts::VolumeUse> parse_volume(std::string_view text);
// `NAME`, `NAME/KEY`, `NAME=VARIABLE` or `NAME/KEY=VARIABLE`.
Result<contracts::SecretUse> parse_secret(std::string_view text);
// `key=value`, of the option `name`.
Result<std::map<std::string, std::string>> parse_labels(const std::vector<std::string>& texts,
                                                        const std::string& name = "label");

}  // namespace paddock::cli
