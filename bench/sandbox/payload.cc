// What the benchmarks run inside and outside. Prints the milliseconds that its own work took.
//   payload cpu | syscalls | files FOLDER SCRATCH | sleepers N | bomb N
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

uint64_t use_cpu() {
  uint64_t x = 88172645463325252ULL;
  for (int i = 0; i < 60'000'000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

// The fastest ones there are: what a filter costs shows here most.
void make_calls() {
  for (int i = 0; i < 1'000'000; ++i) syscall(SYS_getppid);
}

// As a test suite does: look, open, read, close; make and remove files in the scratch folder.
void use_files(const std::string& folder, const std::string& scratch) {
  char bytes[4096];
  for (int round = 0; round < 150; ++round) {
    for (int i = 0; i < 64; ++i) {
      const std::string path = folder + "/file-" + std::to_string(i);
      struct stat info {};
      if (stat(path.c_str(), &info) != 0) std::exit(3);
      const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
      if (fd < 0 || read(fd, bytes, sizeof bytes) < 0) std::exit(3);
      close(fd);
    }
    for (int i = 0; i < 16; ++i) {
      const std::string path = scratch + "/paddock-bench-" + std::to_string(i);
      const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (fd < 0 || write(fd, bytes, sizeof bytes) < 0) std::exit(3);
      close(fd);
      unlink(path.c_str());
    }
  }
}

void wait_to_die() {
  for (;;) pause();
}

void start_sleepers(int count) {
  for (int i = 0; i < count; ++i) {
    if (fork() == 0) wait_to_die();
  }
  std::printf("READY\n");
  std::fflush(stdout);
  wait_to_die();
}

// Every process forks as fast as it can, up to the limit and on.
void explode(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) {
        if (fork() == 0) continue;
      }
    }
  }
  std::printf("READY\n");
  std::fflush(stdout);
  for (;;) (void)!fork();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "sleepers" && argc > 2) start_sleepers(std::atoi(argv[2]));
  if (mode == "bomb" && argc > 2) explode(std::atoi(argv[2]));
  const auto start = std::chrono::steady_clock::now();
  uint64_t kept = 0;
  if (mode == "cpu") kept = use_cpu();
  if (mode == "syscalls") make_calls();
  if (mode == "files" && argc > 3) use_files(argv[2], argv[3]);
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::printf("%.6f\n", kept == 1 ? 0.0 : ms);
  return 0;
}
