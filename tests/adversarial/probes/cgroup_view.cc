// Looks for its cgroup, to leave it or to raise a limit.
#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "probe.h"

int main() {
  const int fd = open("/proc/self/cgroup", O_RDONLY);
  char text[4096] = {};
  if (fd >= 0 && read(fd, text, sizeof text - 1) > 0 && std::strstr(text, "paddock-") != nullptr)
    breach("the name of its cgroup");
  for (const char* root : {"/sys/fs/cgroup", "/cgroup", "/workspace/cgroup"}) {
    for (const char* file :
         {"tasks", "cgroup.procs", "release_agent", "memory.max", "pids.max", "cgroup.kill"}) {
      for (const char* below : {"/", "/memory/", "/pids/", "/../"})
        expect_refused(file, open((std::string(root) + below + file).c_str(), O_WRONLY));
    }
  }
  expect_refused("another process's group", open("/proc/1/cgroup", O_WRONLY));
  return verdict();
}
