// Threads are named as drivers of GPUs, runtimes and libraries do it, and no thread of another
// process is.
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include <string>

#include "probe.h"

namespace {

struct Thread {
  pthread_t handle{};
  int id = 0;
};

// What a thread tells of itself, and until when it stays.
int told[2];
int stay[2];

void* wait_to_end(void*) {
  const int id = static_cast<int>(syscall(SYS_gettid));
  (void)!write(told[1], &id, sizeof id);
  char byte = 0;
  (void)!read(stay[0], &byte, 1);
  return nullptr;
}

Thread start_thread() {
  Thread out;
  if (pipe(told) != 0 || pipe(stay) != 0) breach("no pipe", errno);
  if (const int error = pthread_create(&out.handle, nullptr, wait_to_end, nullptr); error != 0)
    breach("no thread", error);
  if (read(told[0], &out.id, sizeof out.id) != sizeof out.id) breach("the thread's id", errno);
  return out;
}

void expect_name(const std::string& path, const std::string& name) {
  char text[64] = {};
  const int fd = open(path.c_str(), O_RDONLY);
  if (fd < 0 || read(fd, text, sizeof text - 1) < 0) breach(path.c_str(), errno);
  close(fd);
  if (text != name + "\n") breach(text);
}

// The flags of NVIDIA's driver, which are those of fopen("w").
void name_by(const std::string& path, const std::string& name) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) return breach(path.c_str(), errno);
  if (write(fd, name.data(), name.size()) != static_cast<ssize_t>(name.size()))
    breach(name.c_str(), errno);
  close(fd);
  expect_name(path, name);
}

void name_by_library(const Thread& thread, const std::string& path) {
  if (const int error = pthread_setname_np(thread.handle, "library"); error != 0)
    breach("pthread_setname_np", error);
  expect_name(path, "library");
}

void expect_own_names_alone() {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const std::string path = "/proc/" + std::to_string(child) + "/comm";
  const int fd = open(path.c_str(), O_WRONLY);
  if (fd >= 0) expect_refused("the name of another process", write(fd, "other", 5));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace

int main() {
  const Thread thread = start_thread();
  const std::string of_thread = "/proc/self/task/" + std::to_string(thread.id) + "/comm";
  name_by(of_thread, "cuda-evt");
  name_by_library(thread, of_thread);
  name_by("/proc/self/comm", "process");
  name_by("/proc/thread-self/comm", "main");
  expect_own_names_alone();
  return verdict();
}
