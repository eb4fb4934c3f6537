// The last step of a launch, on every system that has execve(): the command itself, no shell.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace paddock::sandbox {

// The paths at which the command may be: its name itself if that has a slash, else the name in each
// folder of its own PATH.
std::vector<std::string> command_files(const std::string& name,
                                       const std::map<std::string, std::string>& env);

// execve(), or what stands for it.
using ExecuteFile = std::function<int(const char*, char* const*, char* const*)>;

// Everything that exec needs, laid out beforehand: execute() allocates no memory, since a limit may
// already refuse it.
class Execution {
 public:
  // `command` outlives it.
  Execution(const std::vector<std::string>& command, const std::map<std::string, std::string>& env);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Executes the first of the command's files that can be executed. Returns only if none can, and
  // then the errno that says most.
  int execute(const ExecuteFile& execute_file) const;

 private:
  std::vector<std::string> variables_;
  std::vector<std::string> files_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;
};

}  // namespace paddock::sandbox
