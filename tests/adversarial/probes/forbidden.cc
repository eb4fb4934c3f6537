// System calls that end the caller. The argument chooses one.
#include <cstdlib>

#include "probe.h"

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "";
  std::printf("trying %s\n", which);
  std::fflush(stdout);
  if (std::strcmp(which, "reboot") == 0) syscall(SYS_reboot, 0, 0, 0, nullptr);
  if (std::strcmp(which, "kexec") == 0) syscall(SYS_kexec_load, 0, 0, nullptr, 0);
  if (std::strcmp(which, "module") == 0) syscall(SYS_init_module, nullptr, 0, "");
#if defined(__x86_64__)
  if (std::strcmp(which, "x32") == 0) syscall(0x40000000 + SYS_getpid);
  if (std::strcmp(which, "i386") == 0) {
    long result = 20;  // getpid
    asm volatile("int $0x80" : "+a"(result) : : "memory");
  }
#endif
  breach(which);
  return verdict();
}
