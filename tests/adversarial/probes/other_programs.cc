// With `cat` the only program that its run may execute. Executes others by every name that it can
// think of: loaders, descriptors, files in memory, copies, scripts, and names that change between
// the look and the act. Itself it may execute, by all of them.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "probe.h"

namespace {

constexpr int kItself = 55;
constexpr const char* kOther = "/usr/bin/true";
constexpr const char* kOwn = "/probes/other_programs";
constexpr unsigned kNoExecSeal = 8, kExec = 16;

// What a loader would execute, of all that can be mapped as code; itself, it ends at once with it.
char given[4096] = "/usr/bin/true";

enum class By { kName, kDescriptor };
struct Attempt {
  By by = By::kName;
  const char* name = "";
  int folder = AT_FDCWD;
};

// In a child: its exit code, which is the error if nothing was executed.
int try_to_execute(const Attempt& attempt) {
  const pid_t child = fork();
  if (child == 0) {
    char* words[] = {given, given, nullptr};
    char* none[] = {nullptr};
    if (attempt.by == By::kDescriptor) {
      syscall(SYS_execveat, attempt.folder, "", words, none, AT_EMPTY_PATH);
    } else if (attempt.folder != AT_FDCWD) {
      syscall(SYS_execveat, attempt.folder, attempt.name, words, none, 0);
    } else {
      execve(attempt.name, words, none);
    }
    _exit(errno);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200 + WTERMSIG(status);
}

void expect_nothing(const char* what, const Attempt& attempt) {
  const int code = try_to_execute(attempt);
  if (code == 0 || code == kItself || code >= 200) breach(what, code);
}
void expect_nothing(const std::string& name) {
  expect_nothing(name.c_str(), {By::kName, name.c_str()});
}
void expect_itself(const char* what, const Attempt& attempt) {
  const int code = try_to_execute(attempt);
  if (code != kItself) breach(what, code);
}
void expect_itself(const std::string& name) {
  expect_itself(name.c_str(), {By::kName, name.c_str()});
}

std::string by_number(const char* before, int fd) { return before + std::to_string(fd); }

// By each name that one file has.
void try_descriptors(const char* file, void (*expect)(const std::string&)) {
  const int fd = open(file, O_RDONLY);
  if (fd < 0) return;
  const std::string own = "/proc/" + std::to_string(getpid());
  expect(by_number("/proc/self/fd/", fd));
  expect(by_number("/dev/fd/", fd));
  expect(by_number("/proc/thread-self/fd/", fd));
  expect(by_number((own + "/fd/").c_str(), fd));
  expect(by_number((own + "/task/" + std::to_string(getpid()) + "/fd/").c_str(), fd));
  expect(own + "/root" + file);
  expect("/proc/self/root/proc/self/root" + std::string(file));
  (void)!symlink(by_number("/proc/self/fd/", fd).c_str(), "/workspace/to-descriptor");
  (void)!symlink("to-descriptor", "/workspace/to-link");
  expect("/workspace/to-link");
  unlink("/workspace/to-descriptor");
  unlink("/workspace/to-link");
  close(fd);
}

void copy(const char* from, int to) {
  const int source = open(from, O_RDONLY);
  struct stat info {};
  fstat(source, &info);
  for (off_t at = 0; at < info.st_size;)
    if (sendfile(to, source, &at, static_cast<size_t>(info.st_size - at)) <= 0) break;
  close(source);
}

void try_copies(const char* from) {
  for (const std::string folder : {"/workspace", "/tmp", "/dev/shm"}) {
    const std::string name = folder + "/copy";
    const int made = open(name.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0755);
    copy(from, made);
    fchmod(made, 0755);
    close(made);
    expect_nothing(name);
    (void)!symlink(name.c_str(), "/workspace/link");
    expect_nothing("/workspace/link");
    unlink("/workspace/link");
    const int open_file = open(name.c_str(), O_RDONLY);
    unlink(name.c_str());
    expect_nothing("a deleted file", {By::kDescriptor, "", open_file});
    expect_nothing(by_number("/proc/self/fd/", open_file));
    close(open_file);
    const int nameless = open(folder.c_str(), O_TMPFILE | O_RDWR, 0755);
    if (nameless < 0) continue;
    copy(from, nameless);
    const int again = open(by_number("/proc/self/fd/", nameless).c_str(), O_RDONLY);
    close(nameless);
    expect_nothing("a nameless file", {By::kDescriptor, "", again});
    close(again);
  }
  if (link(kOwn, "/workspace/hard") == 0) expect_nothing("/workspace/hard");
}

// Either there is none, or it is one that cannot become executable.
void try_memory(const char* from) {
  for (const unsigned flags : {0u, unsigned{MFD_CLOEXEC}, kExec, unsigned{MFD_ALLOW_SEALING},
                               unsigned{MFD_HUGETLB}, kExec | MFD_HUGETLB})
    expect_refused("a file in memory", memfd_create("x", flags));
  const int file = memfd_create("x", kNoExecSeal);
  if (file < 0) return;
  copy(from, file);
  if (fchmod(file, 0777) == 0) breach("a file in memory became executable");
  expect_nothing("a file in memory", {By::kDescriptor, "", file});
  expect_nothing(by_number("/proc/self/fd/", file));
  void* const at = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
  char name[80];
  std::snprintf(name, sizeof name, "/proc/self/map_files/%lx-%lx", reinterpret_cast<long>(at),
                reinterpret_cast<long>(at) + 4096);
  expect_nothing(name);
  close(file);
}

void try_script(const std::string& first_line) {
  const int made = open("/workspace/script", O_CREAT | O_TRUNC | O_WRONLY, 0755);
  const std::string text = "#!" + first_line + "\n";
  if (write(made, text.data(), text.size()) < 0) breach("no script", errno);
  close(made);
  expect_nothing("/workspace/script");
}

std::atomic<bool> stop;

// Between a tool and another program, as fast as it can: a link, a descriptor and a name.
struct Flip {
  const char* other;
  int tool_fd;
  int other_fd;
  char name[64];
};

void* flip(void* argument) {
  auto* const it = static_cast<Flip*>(argument);
  constexpr int kFlipping = 100;
  for (unsigned turn = 0; !stop; ++turn) {
    const bool tool = turn % 2 == 0;
    (void)!symlink(tool ? kOwn : it->other, "/workspace/next");
    rename("/workspace/next", "/workspace/flipping");
    dup2(tool ? it->tool_fd : it->other_fd, kFlipping);
    std::strcpy(it->name, tool ? kOwn : it->other);
  }
  return nullptr;
}

// With what changes on one processor, and behind it: between the answer and the act it changes.
void stand_behind() {
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &first);
  sched_setaffinity(0, sizeof first, &first);
}

int execute_named(void* name) {
  const sched_param none_of_it{};
  sched_setscheduler(0, SCHED_IDLE, &none_of_it);
  char* words[] = {given, given, nullptr};
  char* none[] = {nullptr};
  execve(static_cast<const char*>(name), words, none);
  _exit(111);
}

// In a process that shares memory and descriptors with the flipping thread until it executes.
int execute_beside(const char* name) {
  alignas(16) static char stack[64 << 10];
  const pid_t child = clone(execute_named, stack + sizeof stack, CLONE_VM | CLONE_FILES | SIGCHLD,
                            const_cast<char*>(name));
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

void try_what_changes(const char* other) {
  Flip it{other, open(kOwn, O_RDONLY | O_CLOEXEC), open(other, O_RDONLY | O_CLOEXEC), {}};
  std::strcpy(it.name, kOwn);
  stop = false;
  stand_behind();
  pthread_t thread;
  if (pthread_create(&thread, nullptr, flip, &it) != 0) return breach("no thread");
  // Where the host is busy, an idle thread waits long for its turn: as many times as there is time.
  const time_t end = time(nullptr) + 10;
  for (int i = 0; i < 60 && time(nullptr) < end; ++i) {
    for (const char* name : {"/workspace/flipping", "/proc/self/fd/100", "/dev/fd/100",
                             static_cast<const char*>(it.name)})
      if (execute_beside(name) == 0) breach("a name that changes", i);
  }
  stop = true;
  pthread_join(thread, nullptr);
}

void try_loader(const char* loader) {
  char path[4096];
  if (realpath(loader, path) == nullptr) return;
  std::strcpy(given, path);
  std::strcpy(std::strrchr(given, '/'), "/libc.so.6");
  expect_nothing(loader);
  expect_nothing(path);
  try_descriptors(path, expect_nothing);
  const int fd = open(path, O_PATH);
  expect_nothing("the loader", {By::kDescriptor, "", fd});
  close(fd);
  try_copies(path);
  try_memory(path);
  try_script(std::string(loader) + " " + given);
  try_what_changes(path);
}

void try_itself() {
  expect_itself(kOwn);
  expect_itself("/proc/self/exe");
  try_descriptors(kOwn, expect_itself);
  const int fd = open(kOwn, O_PATH | O_CLOEXEC);
  expect_itself("its descriptor", {By::kDescriptor, "", fd});
  const int folder = open("/probes", O_PATH | O_CLOEXEC);
  expect_itself("its folder", {By::kName, "other_programs", folder});
  expect_itself("up and down", {By::kName, "../../../probes/./other_programs", folder});
  if (chdir("/probes") == 0) {
    expect_itself("other_programs");
    expect_itself("/proc/self/cwd/other_programs");
  }
  prctl(PR_SET_DUMPABLE, 0);
  expect_itself(kOwn);
  expect_nothing(kOther);
  prctl(PR_SET_DUMPABLE, 1);
}

void try_names() {
  for (const char* name : {kOther, "/bin/true", "/usr/bin/../bin/true", "//usr//bin/./true",
                           "/usr/bin/env", "/probes/polite", "/usr/lib/x86_64-linux-gnu/libc.so.6"})
    expect_nothing(name);
  const int folder = open("/usr/bin", O_PATH | O_CLOEXEC);
  expect_nothing("from a folder", {By::kName, "true", folder});
  if (chdir("/usr/bin") == 0) {
    expect_nothing("true");
    expect_nothing("/proc/self/cwd/true");
    expect_nothing("../bin/true");
  }
  try_descriptors(kOther, expect_nothing);
  const int file = open(kOther, O_RDONLY);
  expect_nothing("a descriptor", {By::kDescriptor, "", file});
  for (const char* nothing : {"", "/none", "/usr/bin/true/", "/proc/self/fd/99", "/proc/self/none"})
    expect_nothing(nothing);
}

}  // namespace

int main(int argc, char**) {
  if (argc == 2) return kItself;
  try_itself();
  try_names();
  try_copies(kOther);
  try_copies(kOwn);
  try_memory(kOther);
  try_memory(kOwn);
  try_script(kOther);
  try_script(kOwn);
  try_script("/workspace/script");
  try_what_changes(kOther);
  for (const char* loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
                             "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"})
    try_loader(loader);
  return verdict();
}
