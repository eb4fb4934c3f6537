// Makes empty files and folders in its workspace, deeper and deeper, then waits to be ended.
#include <fcntl.h>
#include <sys/stat.h>

#include "probe.h"

int main() {
  for (int i = 0; i < 100; ++i) {
    if (mkdir("deeper", 0700) != 0 || chdir("deeper") != 0) return 3;
    for (char name[] = "a"; name[0] <= 'e'; ++name[0]) close(open(name, O_CREAT | O_WRONLY, 0600));
  }
  for (;;) pause();
}
