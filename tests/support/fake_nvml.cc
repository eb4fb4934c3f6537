// A stand-in for NVIDIA's management library, for the tests of who loads it. FAKE_NVML says what
// the driver is like: two (GPUs), lost (the second has fallen off the bus), damaged (its memory),
// sick (it does not say its memory), sliced (the second is partitioned), mismatch, hang.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

struct Memory {
  unsigned long long total, free, used;
};

bool like(std::string_view mood) {
  const char* set = std::getenv("FAKE_NVML");
  return set != nullptr && set == mood;
}

// Devices are the addresses of their numbers.
unsigned kGpus[] = {0, 1};
unsigned number(const void* device) { return *static_cast<const unsigned*>(device); }
bool second(const void* device) { return number(device) == 1; }

int copy(const char* from, char* to, unsigned length) {
  std::strncpy(to, from, length);
  return 0;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int nvmlInit_v2() {
  while (like("hang")) ::pause();
  return like("mismatch") ? 18 : 0;
}
__attribute__((visibility("default"))) const char* nvmlErrorString(int error) {
  return error == 18   ? "Driver/library version mismatch"
         : error == 15 ? "GPU is lost"
                       : "Unknown Error";
}
__attribute__((visibility("default"))) int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
__attribute__((visibility("default"))) int nvmlDeviceGetHandleByIndex_v2(unsigned index,
                                                                         void** device) {
  if (index == 1 && like("lost")) return 15;
  *device = &kGpus[index];
  return 0;
}
__attribute__((visibility("default"))) int nvmlDeviceGetUUID(void* device, char* text,
                                                             unsigned length) {
  return copy(second(device) ? "GPU-second" : "GPU-1a2b3c4d-0000-1111-2222-333344445555", text,
              length);
}
__attribute__((visibility("default"))) int nvmlDeviceGetName(void*, char* text, unsigned length) {
  return copy("a GPU", text, length);
}
__attribute__((visibility("default"))) int nvmlDeviceGetMinorNumber(void* device, unsigned* minor) {
  *minor = number(device);
  return 0;
}
__attribute__((visibility("default"))) int nvmlDeviceGetMemoryInfo(void* device, void* memory) {
  if (second(device) && like("sick")) return 999;
  *static_cast<Memory*>(memory) = {80ULL << 30, 1, 1};
  return 0;
}
__attribute__((visibility("default"))) int nvmlDeviceGetUtilizationRates(void* device,
                                                                         void* rates) {
  if (second(device)) return 3;  // not supported
  static_cast<unsigned*>(rates)[0] = 42;
  static_cast<unsigned*>(rates)[1] = 7;
  return 0;
}
__attribute__((visibility("default"))) int nvmlDeviceGetMigMode(void* device, unsigned* now,
                                                                unsigned* later) {
  *now = *later = second(device) && like("sliced") ? 1 : 0;
  return 0;
}
__attribute__((visibility("default"))) int nvmlDeviceGetRemappedRows(void* device,
                                                                     unsigned* correctable,
                                                                     unsigned* uncorrectable,
                                                                     unsigned* pending,
                                                                     unsigned* failed) {
  *correctable = *uncorrectable = *pending = 0;
  *failed = second(device) && like("damaged") ? 1 : 0;
  return second(device) ? 0 : 3;
}

}  // extern "C"
