#include "node-agent/sandbox/linux/exit_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

constexpr int64_t kExiting = 0x4;  // PF_EXITING

// Fields as proc(5) numbers them.
constexpr size_t kParent = 4;
constexpr size_t kFlags = 9;
constexpr size_t kStartOfCode = 26;
constexpr int64_t kHidden = 1;  // of what this process may not look at; then the status is 0
constexpr size_t kExitCode = 52;

class StatLine {
 public:
  // The name may hold anything, but nothing behind it holds a bracket.
  explicit StatLine(std::string_view line) {
    const size_t name_end = line.rfind(") ");
    if (name_end != std::string_view::npos) fields_ = split(trim(line.substr(name_end + 2)), ' ');
  }
  std::optional<int64_t> field(size_t number) const {
    constexpr size_t kFirst = 3;
    if (number - kFirst >= fields_.size()) return std::nullopt;
    return parse_integer<int64_t>(fields_[number - kFirst]);
  }

 private:
  std::vector<std::string> fields_;
};

std::string read_start(const os::Fd& file) {
  std::array<char, 2048> bytes;
  const ssize_t n = pread(file.get(), bytes.data(), bytes.size(), 0);
  return n > 0 ? std::string(bytes.data(), static_cast<size_t>(n)) : std::string();
}

}  // namespace

std::optional<int> status_of_ending(std::string_view line, pid_t parent) {
  const StatLine stat(line);
  const auto flags = stat.field(kFlags);
  const auto status = stat.field(kExitCode);
  if (!flags || (*flags & kExiting) == 0 || stat.field(kParent) != parent || !status ||
      *status < 0 || *status > 0xFFFF || stat.field(kStartOfCode) == kHidden)
    return std::nullopt;
  return static_cast<int>(*status);
}

ExitWatch::ExitWatch(pid_t init) : init_(init) {
  const os::Fd list(
      open(cat("/proc/", init, "/task/", init, "/children").c_str(), O_RDONLY | O_CLOEXEC));
  if (!list.valid()) return;
  const std::string children = read_start(list);
  const auto command = parse_integer<pid_t>(trim(children));
  if (!command) return;
  stat_.reset(open(cat("/proc/", *command, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  // What may not be read is shown as zero, and this address as one.
  const auto code = stat_.valid() ? StatLine(read_start(stat_)).field(kStartOfCode) : std::nullopt;
  if (code.value_or(0) <= kHidden) stat_.reset();
}

std::optional<int> ExitWatch::wait_status() const {
  return stat_.valid() ? status_of_ending(read_start(stat_), init_) : std::nullopt;
}

}  // namespace paddock::sandbox
