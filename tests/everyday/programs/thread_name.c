// What a GPU driver's library does when it starts: it names a thread by /proc.
// run: bash -c 'gcc -pthread -o /tmp/t thread_name.c && /tmp/t'
// needs: gcc
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>
static int id; static int gate[2];
static void *run(void *p) { id = (int)syscall(SYS_gettid); char c = 0; write(gate[1], &c, 1); pause(); return p; }
int main(void) { /* what a GPU driver's library does when it starts */
  pthread_t t; char c, path[64]; pipe(gate); pthread_create(&t, 0, run, 0); read(gate[0], &c, 1);
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", id);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  puts(fd >= 0 && write(fd, "cuda-evt", 8) == 8 ? "ok" : "cannot name a thread"); return 0; }
