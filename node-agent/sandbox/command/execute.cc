#include "node-agent/sandbox/command/execute.h"

#include <errno.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

std::vector<std::string> command_files(const std::string& name,
                                       const std::map<std::string, std::string>& env) {
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> out;
  const auto path = env.find("PATH");
  if (path == env.end()) return out;
  for (const std::string& folder : split(path->second, ':')) {
    if (!folder.empty()) out.push_back(cat(folder, "/", name));
  }
  return out;
}

Execution::Execution(const std::vector<std::string>& command,
                     const std::map<std::string, std::string>& env)
    : files_(command_files(command[0], env)), argv_(pointers(command)) {
  for (const auto& [name, value] : env) variables_.push_back(cat(name, "=", value));
  envp_ = pointers(variables_);
}

int Execution::execute(const ExecuteFile& execute_file) const {
  int worst = ENOENT;
  for (const std::string& file : files_) {
    execute_file(file.c_str(), argv_.data(), envp_.data());
    if (errno == ENOENT || errno == ENOTDIR) continue;
    worst = errno;
    if (errno != EACCES) break;
  }
  return worst;
}

}  // namespace paddock::sandbox
