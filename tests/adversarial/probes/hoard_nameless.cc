// Takes space in files without a name: removed while open in a grandchild's thread with a table of
// its own, never named, or, as the arguments say:
//   mapped              removed, closed and only mapped
//   headless            the same, by a process whose first thread has ended
//   headless open       open, by such a process
//   running             removed while they are executed, by programs that have nothing of them
//                       mapped any more
//   folders             removed folders, in which processes stand: each keeps the blocks of 4,000
//                       names
//   above               the same, with the processes in an empty removed folder of each
//   ruled               removed and closed, but named by a rule of Landlock that is kept open
//   empty               no space but inodes: 800 empty files, removed while open
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "probe.h"

namespace {

constexpr off_t kPiece = 4 << 20;
constexpr int kPieces = 4;
constexpr const char* kHeld = "held";

bool only_mapped = true;

int nameless(bool never_named) {
  const int fd = never_named ? open(".", O_TMPFILE | O_RDWR, 0600) : -1;
  const int file = fd >= 0 ? fd : open("short-lived", O_CREAT | O_RDWR, 0600);
  if (fd < 0) unlink("short-lived");
  if (file < 0 || !fill(file, kPiece)) _exit(3);
  return file;
}

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

void map_one() {
  const int file = nameless(false);
  if (mmap(nullptr, kPiece, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED) _exit(3);
  close(file);
}

void* take_all(void*) {
  for (int i = 0; i < kPieces; ++i) only_mapped ? map_one() : void(nameless(false));
  wait_for_ever();
}

// This program with the size of a piece.
void write_program(const char* name) {
  const int from = open("/proc/self/exe", O_RDONLY);
  const int to = open(name, O_CREAT | O_WRONLY, 0700);
  static char block[64 << 10];
  long n = 0;
  while ((n = read(from, block, sizeof block)) > 0) {
    if (write(to, block, static_cast<size_t>(n)) != n) _exit(3);
  }
  if (from < 0 || n < 0 || !fill(to, kPiece)) _exit(3);
  close(from);
  close(to);
}

struct Mapping {
  void* at;
  size_t size;
  int protection;
};

std::vector<Mapping> mapped_of(const char* name) {
  std::vector<Mapping> out;
  FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[4096];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long from = 0;
    unsigned long to = 0;
    char rights[5] = {};
    if (std::sscanf(line, "%lx-%lx %4s", &from, &to, rights) != 3) continue;
    if (std::string_view(line).find(name) == std::string_view::npos) continue;
    out.push_back({reinterpret_cast<void*>(from), to - from,
                   (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
                       (rights[2] == 'x' ? PROT_EXEC : 0)});
  }
  return out;
}

// Goes on in memory that is nobody's file.
void let_go_of(const char* name) {
  for (const Mapping& each : mapped_of(name)) {
    void* copy =
        mmap(nullptr, each.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) _exit(4);
    std::memcpy(copy, each.at, each.size);
    if (mprotect(copy, each.size, each.protection) != 0) _exit(4);
    if (mremap(copy, each.size, each.size, MREMAP_MAYMOVE | MREMAP_FIXED, each.at) == MAP_FAILED)
      _exit(4);
  }
  if (!mapped_of(name).empty()) _exit(4);
}

void run_pieces() {
  for (int i = 0; i < kPieces; ++i) {
    const std::string name = "./short-lived-" + std::to_string(i);
    write_program(name.c_str());
    if (fork() != 0) continue;
    execl(name.c_str(), name.c_str(), kHeld, nullptr);
    _exit(3);
  }
}

void open_pieces() {
  for (int i = 0; i < kPieces; ++i) {
    if (fork() != 0) continue;
    if (fork() != 0) _exit(0);
    unshare(CLONE_FILES);
    nameless(i % 2 == 0);
    wait_for_ever();
  }
}

// No table and no mapping has what such a rule holds.
void keep_by_rules() {
  const landlock_ruleset_attr rights = {.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE};
  const auto ruleset =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0));
  if (ruleset < 0) _exit(5);
  for (int i = 0; i < kPieces; ++i) {
    const landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
                                             .parent_fd = nameless(false)};
    if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
      _exit(5);
    close(rule.parent_fd);
  }
}

std::string long_name(int number) { return std::to_string(number) + std::string(240, 'n'); }

void stand_in_large_folder() {
  constexpr int kNames = 4'000;
  // One that was ended may have left it, with some of the names.
  if ((mkdir("folder", 0700) != 0 && errno != EEXIST) || chdir("folder") != 0) _exit(3);
  for (int i = 0; i < kNames; ++i) close(open(long_name(i).c_str(), O_CREAT | O_WRONLY, 0600));
  for (int i = 0; i < kNames; ++i) unlink(long_name(i).c_str());
}

void stand_in_removed_folder() {
  stand_in_large_folder();
  if (rmdir("../folder") != 0) _exit(3);
}

void stand_below_removed_folder() {
  stand_in_large_folder();
  if (mkdir("small", 0700) != 0 || chdir("small") != 0 || rmdir("../small") != 0 ||
      rmdir("../../folder") != 0)
    _exit(3);
}

void hold_empty_files() {
  constexpr int kFiles = 200;
  for (int i = 0; i < kFiles; ++i) {
    if (open("short-lived", O_CREAT | O_RDWR, 0600) < 0) _exit(3);
    unlink("short-lived");
  }
}

// One after the other, so that never two of them have what they take under a name.
void in_each_of_some_processes(void (*hold)()) {
  for (int i = 0; i < kPieces; ++i) {
    int done[2];
    if (pipe(done) != 0) _exit(3);
    if (fork() == 0) {
      hold();
      close(done[1]);
      wait_for_ever();
    }
    close(done[1]);
    char byte = 0;
    (void)!read(done[0], &byte, 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  if (how == kHeld) {
    unlink(argv[0]);
    let_go_of(argv[0] + 2);
    wait_for_ever();
  }
  if (how == "headless") {
    only_mapped = argc == 2;
    pthread_t other;
    if (pthread_create(&other, nullptr, take_all, nullptr) != 0) return 3;
    syscall(SYS_exit, 0);
  }
  if (how == "mapped") take_all(nullptr);
  if (how == "folders") in_each_of_some_processes(stand_in_removed_folder);
  if (how == "above") in_each_of_some_processes(stand_below_removed_folder);
  if (how == "ruled") keep_by_rules();
  if (how == "empty") in_each_of_some_processes(hold_empty_files);
  if (how == "running") run_pieces();
  if (how.empty()) open_pieces();
  wait_for_ever();
}
