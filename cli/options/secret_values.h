// Turns the options of `paddock secret create` into the Secret that they describe. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/secret.h"

namespace paddock::cli {

// `KEY=FILE`, or `FILE` alone: then its own name is the key's. INVALID_OPTION.
struct ValueFile {
  std::string key;
  std::string file;  // `-`: standard input
};
Result<ValueFile> parse_value_file(std::string_view text);

// `KEY=VALUE`. The value is in no message.
Status add_literal(std::string_view text, std::map<std::string, std::string>& out);
// Each key once. INVALID_OPTION.
Status add_value(const std::string& key, std::string value, std::string_view option,
                 std::map<std::string, std::string>& out);

contracts::Secret make_secret(const std::string& name, const std::string& name_space,
                              const std::map<std::string, std::string>& values);

}  // namespace paddock::cli
