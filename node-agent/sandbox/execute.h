// The last step of a launch, on every system that has execve(): the command itself, no shell.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace paddock::sandbox {

// Where the command may be: itself if it has a slash, else each folder of its own PATH.
std::vector<std::string> command_files(const std::string& name,
                                       const std::map<std::string, std::string>& env);
// Becomes the first of `files` that can be executed. Returns only if none can, with the errno that
// tells most.
int execute(const std::vector<std::string>& command, const std::map<std::string, std::string>& env,
            const std::vector<std::string>& files);

}  // namespace paddock::sandbox
