// Homes: the folders in which programs keep what is theirs. A run's lie in its own scratch space,
// so that nothing of the host's is read and nothing of the run is left.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::contracts {

// Whether the variable says where a program's own files are: HOME, XDG_…, TMPDIR and the like.
bool is_home_variable(std::string_view name);

// The folders beneath /tmp that such variables name, to be there when the command starts.
std::vector<std::string> own_folders(const std::map<std::string, std::string>& environment);

// Whether a file or folder may be made there for a command: below /tmp, and a clean path.
bool is_scratch_path(std::string_view path);

}  // namespace paddock::contracts
