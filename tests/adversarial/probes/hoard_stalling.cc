// Takes space in named files while it keeps whoever measures that busy: thousands of mappings to
// look through, each behind a lock that its threads hold. Ends by itself after a gibibyte.
//   hoard_stalling GiB THREADS MAPPINGS
#include <fcntl.h>
#include <sys/mman.h>

#include <string>
#include <thread>
#include <vector>

#include "probe.h"
#include "zero_page.h"

namespace {

char* map_zero_page(size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  return static_cast<char*>(at);
}

// A nameless file's, each a mapping by itself: every second page.
void map_often(int mappings) {
  const int file = open("mapped", O_CREAT | O_RDWR, 0600);
  unlink("mapped");
  (void)!ftruncate(file, static_cast<off_t>(kPage));
  for (int i = 0; i < mappings; ++i)
    (void)mmap(nullptr, kPage, i % 2 ? PROT_READ : PROT_NONE, MAP_SHARED, file, 0);
  close(file);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t bytes = (argc > 1 ? std::stoul(argv[1]) : 4) << 30;
  const int threads = argc > 2 ? std::stoi(argv[2]) : 8;
  char* mapping = map_zero_page(bytes);
  const size_t filled = mapping == nullptr ? 0 : fill_with_zero_page(mapping, bytes);
  map_often(argc > 3 ? std::stoi(argv[3]) : 20'000);
  for (int i = 0; i < threads && mapping != nullptr; ++i) {
    std::thread([=] {
      for (;;) {
        (void)mprotect(mapping, filled, PROT_NONE);
        (void)mprotect(mapping, filled, PROT_READ);
      }
    }).detach();
  }
  std::vector<char> piece(size_t{1} << 20, 'x');
  for (int i = 0; i < 1024; ++i) {
    const int file = open(("file-" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600);
    if (write(file, piece.data(), piece.size()) < 0) _exit(3);
    close(file);
    (void)!write(STDOUT_FILENO, "M", 1);
    usleep(50'000);  // in all longer than a busy machine keeps a launcher waiting for a processor
  }
  std::puts("\nHAD IT ALL");
  std::fflush(stdout);
  _exit(0);
}
