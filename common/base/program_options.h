// The options of a program that has no commands, from one table: they are read by it, its usage is
// made from it, and of a word that is none of them it says which was meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace paddock {

struct ProgramOption {
  std::string_view name;   // --config
  std::string_view value;  // what stands behind it: FILE; empty: nothing; [=json]: that, or nothing
};

struct GivenOption {
  std::string name;
  std::string value;  // empty: none, or an empty one
};

// `--name VALUE`, `--name=VALUE` and `-h`, which is --help; in the order in which they were given.
// InvalidArgument, with `reason`: a word is no option, lacks its value, or has one too many.
Result<std::vector<GivenOption>> read_options(std::span<const std::string> words,
                                              std::span<const ProgramOption> options,
                                              Reason reason);
// "usage: PROGRAM [--config FILE] [--check]", in lines of at most 80 columns.
std::string usage_of(std::string_view program, std::span<const ProgramOption> options);

}  // namespace paddock
