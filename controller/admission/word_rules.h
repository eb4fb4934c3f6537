// The rules for each word of a command, whatever its program: no shell metacharacters, no path
// outside the workspace. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/reason.h"

namespace paddock::admission {

struct Refusal {
  Reason reason;
  size_t word = 0;  // index into the command
  std::string message;
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

void check_metacharacters(const std::vector<std::string>& argv, std::vector<Refusal>& out);
// Every word but the first. What lies below `/volumes/NAME` of a volume that the run reads is
// inside.
using VolumeNames = std::vector<std::string>;
void check_paths(const std::vector<std::string>& argv, const VolumeNames& volumes,
                 std::vector<Refusal>& out);

// Whether a path from a caller is relative and stays inside: no leading '/', no empty part but a
// trailing one, no `.` or `..` part, no control characters.
bool is_inner_path(std::string_view path);

}  // namespace paddock::admission
