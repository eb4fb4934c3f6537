// Keeps whoever looks at it waiting: asks about 1,024 messages a call while its threads hold the
// lock of its address space for as long as a large mapping of the zero page makes them. What it
// costs is page tables alone, so that a little memory holds a hundred times as much address space;
// where the kernel has no zero page, 64 MiB have to do.
//   stall GiB THREADS ASKERS
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "probe.h"
#include "zero_page.h"

namespace {

constexpr size_t kMessages = 1024;
constexpr size_t kGiB = size_t{1} << 30;

char* map_zero_page(size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

[[noreturn]] void hold_lock(char* from, size_t bytes) {
  for (;;) {
    (void)mprotect(from, bytes, PROT_NONE);
    (void)mprotect(from, bytes, PROT_READ);
  }
}

[[noreturn]] void ask() {
  const int udp = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(0x08080808);
  to.sin_port = htons(53);
  // Each address on a page of its own.
  char* room = static_cast<char*>(
      mmap(nullptr, kMessages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::vector<mmsghdr> messages(kMessages);
  for (size_t i = 0; i < kMessages; ++i) {
    std::memcpy(room + i * kPage, &to, sizeof to);
    messages[i].msg_hdr.msg_name = room + i * kPage;
    messages[i].msg_hdr.msg_namelen = sizeof to;
  }
  for (;;) (void)sendmmsg(udp, messages.data(), kMessages, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t gib = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 8;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 8;
  const int askers = argc > 3 ? std::atoi(argv[3]) : 2;
  char* mapping = map_zero_page(gib * kGiB);
  if (mapping == nullptr) return std::puts("REFUSED") < 0 ? 1 : 0;
  std::signal(SIGTERM, SIG_IGN);
  const size_t bytes = fill_with_zero_page(mapping, gib * kGiB);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back([=] { hold_lock(mapping, bytes); });
  for (int i = 0; i < askers; ++i) all.emplace_back([] { ask(); });
  (void)!write(STDOUT_FILENO, "READY\n", 6);
  for (std::thread& each : all) each.join();
  return 0;
}
