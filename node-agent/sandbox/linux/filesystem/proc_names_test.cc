#include "node-agent/sandbox/linux/filesystem/proc_names.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/filesystem/new_mount.h"
#include "node-agent/sandbox/linux/filesystem/view.h"
#include "node-agent/sandbox/plan/proc_covers.h"

namespace paddock::sandbox {
namespace {

MachineShare share_of(std::vector<int> processors, int64_t pids) {
  auto machine = std::make_shared<MachineFacts>();
  machine->processors = {0, 1};
  machine->memory_bytes = int64_t{1} << 30;
  machine->release = "9.9";
  return {machine, std::move(processors), int64_t{1} << 20, pids, "none / none ro 0 0\n"};
}

std::vector<ProcFile> files_of(std::vector<int> processors, int64_t pids) {
  return proc_files(share_of(std::move(processors), pids), {10, 5000, cat("id-", pids)});
}

// A view with a /proc in which the names are shown. In a process of its own, as it needs a pid
// namespace.
struct Shown {
  ReadyProcFiles ready;
  std::optional<View> view;
  ProcNames names;

  bool make(const std::vector<ProcFile>& table) {
    auto made = ReadyProcFiles::make(files_of({0, 1}, 4194304));
    auto root = View::make(true);
    auto proc = new_proc();
    if (!made.ok() || !root.ok() || !proc.ok()) return false;
    ready = std::move(*made);
    view.emplace(std::move(*root));
    if (!view->place_tree("/proc", *proc).ok()) return false;
    auto shown = ProcNames::show(view->root(), true, table, &ready);
    if (!shown.ok()) return false;
    names = std::move(*shown);
    return true;
  }
  os::Fd open_file(const std::string& path, int flags) const {
    return os::Fd(openat(view->root(), cat("proc/", path).c_str(), flags | O_CLOEXEC));
  }
  // Whether each of these files is read as the table says and cannot be written.
  std::string wrong(const std::vector<ProcFile>& table) const {
    for (const ProcFile& file : table) {
      if (file.kind != ProcFile::Kind::kFile || file.path == "sys/kernel/random/uuid") continue;
      const os::Fd read = open_file(file.path, O_RDONLY);
      const auto text = os::read_all(read.get(), 1 << 20);
      if (!text.ok() || *text != file.content) return file.path;
      struct statvfs mount {};
      constexpr unsigned long kAll = ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC;
      if (fstatvfs(read.get(), &mount) != 0 || (mount.f_flag & kAll) != kAll)
        return file.path + ": flags";
      if (open_file(file.path, O_WRONLY).valid()) return file.path + ": writable";
    }
    return "";
  }
};

// Exits with 0 once it has written what is wrong; the first process of a pid namespace.
[[noreturn]] void say_what_is_wrong(const std::function<std::string(Shown&)>& action,
                                    const std::vector<ProcFile>& table, const os::Fd& to) {
  Shown shown;
  if (!shown.make(table)) _exit(1);
  _exit(os::write_all(to.get(), action(shown)).ok() ? 0 : 1);
}

int end_of(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// What `action` says is wrong; nothing where this process may not make views.
std::optional<std::string> in_a_pid_namespace(const std::function<std::string(Shown&)>& action,
                                              const std::vector<ProcFile>& table) {
  auto pipe = os::make_pipe();
  if (!pipe.ok()) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) _exit(1);
    const pid_t first = fork();
    if (first == 0) say_what_is_wrong(action, table, pipe->write);
    _exit(end_of(first));
  }
  pipe->write.reset();
  auto said = os::read_all(pipe->read.get(), 4096);
  if (end_of(child) != 0 || !said.ok()) return std::nullopt;
  return std::move(*said);
}

TEST(ProcNames, AreReadOnlyWhoeverMadeThem) {
  const auto table = files_of({0, 1}, 50);
  const auto wrong =
      in_a_pid_namespace([&](const Shown& shown) { return shown.wrong(table); }, table);
  if (!wrong) GTEST_SKIP() << "this process cannot make views";
  EXPECT_EQ(*wrong, "");
}

TEST(ProcNames, ThatWereReadyGiveWayToThoseOfARunThatDiffers) {
  const auto later = files_of({1}, 7);
  const auto wrong = in_a_pid_namespace(
      [&](Shown& shown) -> std::string {
        if (!shown.names.rewrite(later).ok()) return "not made anew";
        if (shown.open_file("sys/cpu/cpu0", O_PATH).valid()) return "another processor";
        if (shown.open_file("interrupts", O_PATH).valid()) return "a name of the kernel's";
        return shown.wrong(later);
      },
      files_of({0, 1}, 50));
  if (!wrong) GTEST_SKIP() << "this process cannot make views";
  EXPECT_EQ(*wrong, "");
}

}  // namespace
}  // namespace paddock::sandbox
