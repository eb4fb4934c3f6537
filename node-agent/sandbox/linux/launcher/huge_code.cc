#include "node-agent/sandbox/linux/launcher/huge_code.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/os/file.h"

namespace paddock::sandbox {
namespace {

constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
constexpr uintptr_t kWorthIt = uintptr_t{256} << 10;  // bytes
constexpr int kCollapse = 25;                         // MADV_COLLAPSE, newer than the headers
constexpr int kMostAttempts = 10;

uintptr_t down(uintptr_t address) { return address & ~(kHugePage - 1); }
uintptr_t up(uintptr_t address) { return down(address + kHugePage - 1); }

int protection_of(const ElfW(Phdr) & header) {
  return ((header.p_flags & PF_R) != 0 ? PROT_READ : 0) |
         ((header.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((header.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

// The program itself comes first.
int list_parts(dl_phdr_info* info, size_t, void* out) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    static_cast<std::vector<LoadedPart>*>(out)->push_back(
        {begin, begin + header.p_memsz, protection_of(header)});
  }
  return 1;
}

// The kernel collapses on request even where its operator has switched huge pages off.
bool has_huge_pages() {
  const auto enabled = os::read_file("/sys/kernel/mm/transparent_hugepage/enabled", 4096);
  return enabled.ok() && enabled->find("[never]") == std::string::npos;
}

// EAGAIN: a page was on its way somewhere else.
bool collapse(char* at, size_t bytes) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (madvise(at, bytes, kCollapse) == 0) return true;
    if (errno != EAGAIN) return false;
  }
  return false;
}

// A copy of `place`, with nothing around the part; nullptr: the host has none to give.
char* copy_of(const HugePlace& place, char* to) {
  const size_t bytes = place.end - place.begin;
  if (madvise(to, bytes, MADV_HUGEPAGE) != 0) return nullptr;
  std::memcpy(to + (place.part.begin - place.begin),
              reinterpret_cast<const void*>(place.part.begin), place.part.end - place.part.begin);
  return collapse(to, bytes) && mprotect(to, bytes, place.part.protection) == 0 ? to : nullptr;
}

void move(const HugePlace& place) {
  const size_t bytes = place.end - place.begin;
  void* const room =
      mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return;
  const auto start = reinterpret_cast<uintptr_t>(room);
  char* const copy = copy_of(place, static_cast<char*>(room) + (up(start) - start));
  if (copy != nullptr) {
    // The same bytes take the place of the file's: this very function goes on in them.
    (void)mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                 reinterpret_cast<void*>(place.begin));
  }
  munmap(room, bytes + kHugePage);  // what is left of it
}

}  // namespace

std::vector<HugePlace> huge_places(const std::vector<LoadedPart>& parts) {
  std::vector<HugePlace> out;
  for (const LoadedPart& part : parts) {
    const HugePlace place{part, down(part.begin), up(part.end)};
    const auto in_the_way = [&](const LoadedPart& other) {
      return other.begin != part.begin && other.begin < place.end && other.end > place.begin;
    };
    const bool worth_it = part.end - part.begin >= kWorthIt;
    if (worth_it && (part.protection & PROT_WRITE) == 0 && std::ranges::none_of(parts, in_the_way))
      out.push_back(place);
  }
  return out;
}

void move_code_to_huge_pages() {
  if (!has_huge_pages()) return;
  std::vector<LoadedPart> parts;
  dl_iterate_phdr(list_parts, &parts);
  for (const HugePlace& place : huge_places(parts)) move(place);
}

}  // namespace paddock::sandbox
