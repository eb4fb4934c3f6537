// A process's root, told from /proc. A descriptor of a process's folder there stays with that very
// process: whoever has its number later is not reached through it.
#include "common/os/seen_folder.h"

#include <fcntl.h>

#include <optional>
#include <vector>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::os {
namespace {

constexpr size_t kMostText = size_t{1} << 20;

Error over() { return {Code::kFailedPrecondition, "RUN_NOT_RUNNING", "the run has just ended"}; }

std::string seen_text(int folder, const char* name) {
  const Fd file(openat(folder, name, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  auto text = read_all(file.get(), kMostText);
  return text.ok() ? std::move(*text) : std::string();
}

// The words of a line of /proc/PID/status, without its name.
std::vector<std::string> words_of(const std::string& status, std::string_view name) {
  for (const std::string& line : split(status, '\n'))
    if (line.starts_with(name)) return split(trim(line.substr(name.size())), '\t');
  return {};
}

struct FoundProcess {
  Fd folder;  // of /proc
  pid_t pid = -1;
  uid_t user = 0;
};

constexpr int kOfProc = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// Looked at through its own folder: what is found out there is of one process.
std::optional<FoundProcess> look_at(const std::string& pid, pid_t parent, std::string_view number) {
  FoundProcess out{.folder = Fd(open(cat("/proc/", pid).c_str(), kOfProc))};
  if (!out.folder.valid()) return std::nullopt;
  const std::string status = seen_text(out.folder.get(), "status");
  const auto numbers = words_of(status, "NSpid:");
  const auto users = words_of(status, "Uid:");
  if (words_of(status, "PPid:") != std::vector<std::string>{cat(parent)}) return std::nullopt;
  if (numbers.size() < 2 || numbers.back() != number || users.size() < 2) return std::nullopt;
  const auto user = parse_integer<uid_t>(users[1]);
  const auto itself = parse_integer<pid_t>(pid);
  if (!user || !itself) return std::nullopt;
  out.user = *user;
  out.pid = *itself;
  return out;
}

// The child of this process that has this number in a pid namespace of its own.
std::optional<FoundProcess> child_of(int folder, pid_t parent, std::string_view number) {
  const std::string children = seen_text(folder, cat("task/", parent, "/children").c_str());
  for (const std::string& child : split(children, ' ')) {
    if (child.empty()) continue;
    if (auto found = look_at(child, parent, number)) return found;
  }
  return std::nullopt;
}

Result<SeenFolder> seen_by(int process, uid_t user, const std::string& name) {
  const Fd root(openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return over();
  ASSIGN_OR_RETURN(Fd folder, open_beneath(root.get(), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return SeenFolder{std::move(folder), user};
}

}  // namespace

// The first process of a sandbox is in an empty root; the second one is its command.
Result<SeenFolder> seen_folder(const ProcessIdentity& parent, const std::string& name) {
  const Fd launcher(open(cat("/proc/", parent.pid).c_str(), kOfProc));
  if (!launcher.valid() || !alive(parent)) return over();
  const auto init = child_of(launcher.get(), parent.pid, "1");
  const auto command = init ? child_of(init->folder.get(), init->pid, "2") : std::nullopt;
  if (!command || !alive(parent)) return over();
  return seen_by(command->folder.get(), command->user, name);
}

}  // namespace paddock::os
