// A process that forks for every run pays for its own code again and again: a child inherits
// nothing of a file's mapping and faults it in anew. Code in huge pages of anonymous memory comes
// with the page table. Linux 6.1, x86-64 and others with huge pages of 2 MiB.
#pragma once

#include <cstdint>
#include <vector>

namespace paddock::sandbox {

// A part of the program's file in memory: its addresses, and its protection as mprotect() takes it.
struct LoadedPart {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  int protection = 0;
};
struct HugePlace {
  LoadedPart part;
  uintptr_t begin = 0;  // whole huge pages around it, which nothing else uses
  uintptr_t end = 0;
};
// The parts that nobody writes to and that are large enough to be worth it. Pure.
std::vector<HugePlace> huge_places(const std::vector<LoadedPart>& parts);

// Where the linker has aligned this program's parts (program() in cmake/Module.cmake) and the host
// has huge pages to give; else nothing changes, but that a kernel without memory for its own tables
// may end the process. Only while there is one thread.
void move_code_to_huge_pages();

}  // namespace paddock::sandbox
