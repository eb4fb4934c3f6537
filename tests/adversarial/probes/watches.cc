// Watches files (inotify). On what the host and other runs use as well there is no watch, by
// whatever name; on its own files they work as they do everywhere.
#include <fcntl.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <string>

#include "probe.h"

namespace {

const int watcher = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

int watch(const std::string& name, unsigned events = IN_ALL_EVENTS) {
  return inotify_add_watch(watcher, name.c_str(), events);
}

// Whether a file of this name was told of.
bool told_of(const std::string& name) {
  alignas(inotify_event) static char events[64 << 10];
  bool told = false;
  for (long n = 0; (n = read(watcher, events, sizeof events)) > 0;) {
    for (const char* at = events; at < events + n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      told = told || (event->len > 0 && name == event->name);
      at += sizeof *event + event->len;
    }
  }
  return told;
}

void expect_no_watch(const std::string& name, unsigned events = IN_ALL_EVENTS) {
  const int result = watch(name, events);
  expect_refused(name.c_str(), result);
  if (result < 0 && errno != EACCES) breach(("another answer about " + name).c_str(), errno);
}

void watch_others(const std::string& shown) {
  for (const std::string& name :
       {std::string("/usr"), std::string("/usr/bin"), std::string("/usr/bin/env"),
        std::string("/etc"), std::string("/dev/null"), std::string("/dev/zero"), shown})
    expect_no_watch(name);
  expect_no_watch("/usr/bin", IN_OPEN | IN_DONT_FOLLOW | IN_ONLYDIR);
  if (symlink("/usr/bin", "/workspace/link") != 0) breach("no link", errno);
  expect_no_watch("/workspace/link");
  expect_no_watch("/workspace/link/env");
  expect_no_watch("/workspace/../usr/bin");
  const int folder = open("/usr/bin", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  expect_no_watch("/proc/self/fd/" + std::to_string(folder));
  expect_no_watch("/proc/thread-self/fd/" + std::to_string(folder));
  if (fchdir(folder) != 0) breach("cannot go there", errno);
  expect_no_watch(".");
  expect_no_watch("env");
}

void expect_events(const std::string& folder) {
  unlink((folder + "/new").c_str());
  const int first = watch(folder, IN_CREATE | IN_CLOSE_WRITE);
  if (first < 0) return breach(("no watch on " + folder).c_str(), errno);
  if (watch(folder, IN_CREATE) != first) breach("another watch on the same folder", first);
  close(open((folder + "/new").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  if (!told_of("new")) breach(("nothing was told of " + folder).c_str());
  if (watch(folder + "/new", IN_MODIFY) < 0) breach("no watch on a file", errno);
  if (inotify_rm_watch(watcher, first) != 0) breach("a watch stays", errno);
}

void expect_error(const char* what, int result, int error) {
  if (result >= 0 || errno != error) breach(what, errno);
}

void watch_own() {
  for (const char* folder : {"/workspace", "/tmp", "/dev/shm"}) expect_events(folder);
  if (chdir("/workspace") != 0) breach("cannot go to the workspace", errno);
  expect_events(".");
  if (watch("link", IN_DONT_FOLLOW | IN_ATTRIB) < 0) breach("no watch on a link itself", errno);
  expect_error("a folder that is none", watch("new", IN_ONLYDIR | IN_OPEN), ENOTDIR);
  expect_error("a missing file", watch("missing"), ENOENT);
  expect_error("no name", watch(""), ENOENT);
  expect_error("no event", watch("new", 0), EINVAL);
  expect_error("no descriptor", inotify_add_watch(1000, ".", IN_OPEN), EBADF);
  expect_error("no watcher", inotify_add_watch(STDOUT_FILENO, ".", IN_OPEN), EINVAL);
  expect_error("no memory", static_cast<int>(syscall(SYS_inotify_add_watch, watcher, 8L, IN_OPEN)),
               EFAULT);
}

// Has the name lead elsewhere between the look and the watch.
void* swap_link(void*) {
  for (int i = 0;; ++i) {
    if (symlink(i % 2 == 0 ? "/usr/bin" : "/workspace", "/workspace/other") == 0)
      rename("/workspace/other", "/workspace/link");
  }
}

void watch_what_changes() {
  constexpr int kEach = 500;
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, swap_link, nullptr) != 0) return breach("no thread", errno);
  for (int granted = 0, refused = 0; granted < kEach || refused < kEach;)
    ++(watch("/workspace/link", IN_OPEN) < 0 ? refused : granted);
  close(open("/usr/bin/env", O_RDONLY | O_CLOEXEC));
  if (told_of("env")) breach("a watch on programs");
}

}  // namespace

int main(int, char** arguments) {
  watch_others(arguments[1] == nullptr ? "/usr/share" : arguments[1]);
  watch_own();
  watch_what_changes();
  return verdict();
}
