// C: AddressSanitizer, UBSan, LeakSanitizer and ThreadSanitizer in programs of a project.
// run: bash -ec 'for kind in address,undefined leak thread; do gcc -g -fsanitize=$kind -pthread -o /tmp/it sanitizers.c; /tmp/it $kind; done; echo ok'
// needs: g++
// not: compute (its exact environment has no LSAN_OPTIONS; a script of the project may set it) user (what they reserve is over RLIMIT_DATA)
// limits: {memory: 2Gi, cpuTime: 60s, pids: 128}
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* work(void* argument) { return memset(argument, 1, 8); }

// What the sanitizer is for is found: the child ends with its report.
static int finds_overflow(void) {
  const pid_t child = fork();
  if (child == 0) {
    (void)!freopen("/dev/null", "w", stderr);
    volatile char* bytes = malloc(8);
    volatile int index = 8;
    bytes[index] = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status != 0;
}

int main(int count, char** arguments) {
  char* memory = malloc(8);
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, memory) != 0) return 1;
  pthread_join(thread, NULL);
  const int as_expected = memory[7] == 1;
  free(memory);
  if (count > 1 && strstr(arguments[1], "address") != NULL && !finds_overflow()) return 2;
  return as_expected ? 0 : 3;  // what leaks would be looked for now
}
