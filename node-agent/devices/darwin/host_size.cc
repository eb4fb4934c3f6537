#include "node-agent/devices/host_size.h"

#include <sys/sysctl.h>

namespace paddock::devices {
namespace {

int64_t number(const char* name) {
  int64_t value = 0;  // shorter ones fill its lower half, as both processors are little-endian
  size_t size = sizeof value;
  return ::sysctlbyname(name, &value, &size, nullptr, 0) == 0 ? value : 0;
}

}  // namespace

int64_t cpu_count(const std::string&) { return number("hw.logicalcpu"); }
int64_t memory_bytes(const std::string&) { return number("hw.memsize"); }
int64_t most_processes(const std::string&) { return number("kern.maxproc"); }

}  // namespace paddock::devices
