// Mappings that hold up whoever needs the lock of an address space for as long as they are large,
// and cost page tables alone: what is only read is one page of zeros for all. Some kernels give
// each a page of its own: there a mapping is filled up to its first 64 MiB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdio>

constexpr size_t kPage = 4096;
constexpr size_t kFirst = size_t{64} << 20;

// By the kernel, which is faster than touching: whoever runs out of memory goes on with less.
inline void read_through(char* from, size_t bytes) {
  constexpr int kPopulateRead = 22;
  if (madvise(from, bytes, kPopulateRead) == 0) return;
  for (size_t at = 0; at < bytes; at += kPage) (void)*static_cast<volatile char*>(from + at);
}

inline bool takes_pages() {
  long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%*d %ld", &pages) != 1) return true;
  std::fclose(file);
  return static_cast<size_t>(pages) * kPage > kFirst / 2;
}

// Returns how much of it is filled.
inline size_t fill_with_zero_page(char* from, size_t bytes) {
  (void)madvise(from, bytes, MADV_NOHUGEPAGE);
  read_through(from, kFirst);
  const size_t filled = takes_pages() ? kFirst : bytes;
  read_through(from, filled);
  return filled;
}
