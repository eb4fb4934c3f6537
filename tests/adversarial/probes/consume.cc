// Uses up one resource: memory, shared, sysv, cpu, threads, family, scratch, reserve, inodes,
// flood, file.
#include <fcntl.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include <string>
#include <thread>
#include <vector>

#include "probe.h"

namespace {

constexpr size_t kPiece = size_t{8} << 20;

void memory(int flags) {
  for (;;) {
    void* piece = mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) break;
    std::memset(piece, 1, kPiece);
  }
  std::puts("REFUSED");
}

void sysv() {
  for (;;) {
    const int id = shmget(IPC_PRIVATE, kPiece, IPC_CREAT | 0600);
    void* piece = id < 0 ? MAP_FAILED : shmat(id, nullptr, 0);
    if (piece == MAP_FAILED) break;
    std::memset(piece, 1, kPiece);
  }
  std::puts("REFUSED");
}

void cpu(unsigned threads) {
  for (int signal : {SIGXCPU, SIGTERM, SIGINT}) std::signal(signal, SIG_IGN);
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) {
    all.emplace_back([] {
      volatile unsigned long n = 0;
      for (;;) n = n + 1;
    });
  }
  for (std::thread& each : all) each.join();
}

// Four processes, none of which uses much.
void family() {
  for (int i = 0; i < 3; ++i) {
    if (fork() == 0) break;
  }
  cpu(1);
}

void fill(const char* folder) {
  static char block[1 << 20];
  const std::string path = std::string(folder) + "/fill";
  const int fd = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
  long total = 0;
  ssize_t n = 0;
  while ((n = write(fd, block, sizeof block)) > 0) total += n;
  std::printf("WROTE %ld errno %d\n", total, errno);
}

// Room that a library takes, by writing where nothing is set aside.
void reserve(const char* folder) {
  const std::string path = std::string(folder) + "/reserve";
  const int fd = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
  long total = 0;
  int error = 0;
  while ((error = posix_fallocate(fd, total, 1 << 20)) == 0) total += 1 << 20;
  std::printf("WROTE %ld errno %d\n", total, error);
}

void inodes() {
  long made = 0;
  for (;; ++made) {
    char path[64];
    std::snprintf(path, sizeof path, "/tmp/f%ld", made);
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    if (fd < 0) break;
    close(fd);
  }
  std::printf("MADE %ld errno %d\n", made, errno);
}

void flood(long megabytes) {
  static char block[1 << 20];
  std::memset(block, 0xff, sizeof block);
  for (long i = 0; i < megabytes; ++i) {
    for (int fd : {1, 2}) {
      size_t at = 0;
      while (at < sizeof block) {
        const ssize_t n = write(fd, block + at, sizeof block - at);
        if (n <= 0) _exit(3);
        at += static_cast<size_t>(n);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "memory") memory(MAP_PRIVATE);
  if (what == "shared") memory(MAP_SHARED);
  if (what == "sysv") sysv();
  if (what == "cpu") cpu(1);
  if (what == "threads") cpu(4);
  if (what == "family") family();
  if (what == "scratch") fill("/tmp");
  if (what == "reserve") reserve("/tmp");
  if (what == "shm") fill("/dev/shm");
  if (what == "file") {
    std::signal(SIGXFSZ, SIG_IGN);
    fill("/workspace");
  }
  if (what == "file-signal") fill("/workspace");
  if (what == "inodes") inodes();
  if (what == "flood") flood(200);
  std::fflush(stdout);
  return 0;
}
