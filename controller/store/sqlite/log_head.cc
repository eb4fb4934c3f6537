#include "controller/store/sqlite/log_head.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"

namespace paddock::store::sqlite {
namespace {

constexpr size_t kLogHeadBytes = 32;
constexpr size_t kFrameHeadBytes = 24;
constexpr uint32_t kLogMagic = 0x377f0682;  // the last bit: the order of bytes in the sums
constexpr uint32_t kLeastPage = 512;
constexpr uint32_t kMostPage = 65536;

uint32_t word_at(std::string_view bytes, size_t at, bool high_first) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) {
    const size_t from = high_first ? at + i : at + 3 - i;
    word = word << 8 | static_cast<unsigned char>(bytes[from]);
  }
  return word;
}

uint32_t high_first_at(std::string_view bytes, size_t at) { return word_at(bytes, at, true); }

// Goes on from one part of the log to the next: so a frame is good only behind those before it.
struct Sum {
  bool high_first = false;
  uint32_t first = 0;
  uint32_t second = 0;

  void add(std::string_view bytes) {
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += word_at(bytes, at, high_first) + second;
      second += word_at(bytes, at + 4, high_first) + first;
    }
  }
  bool is_at(std::string_view bytes, size_t at) const {
    return first == high_first_at(bytes, at) && second == high_first_at(bytes, at + 4);
  }
};

// Shorter at the end of the file.
Result<std::string> bytes_at(const os::Fd& file, size_t at, size_t count) {
  std::string out(count, '\0');
  size_t have = 0;
  while (have < count) {
    const ssize_t got =
        ::pread(file.get(), out.data() + have, count - have, static_cast<off_t>(at + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading the log of the store", errno);
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  out.resize(have);
  return out;
}

struct Log {
  size_t page_bytes = 0;
  std::string salts;  // of what the log has now: older frames behind it have others
  Sum sum;
};

std::optional<Log> log_of(std::string_view head) {
  if (head.size() < kLogHeadBytes || (high_first_at(head, 0) & ~1U) != kLogMagic)
    return std::nullopt;
  Log log;
  log.sum.high_first = (high_first_at(head, 0) & 1U) != 0;
  log.page_bytes = high_first_at(head, 8);
  log.salts = head.substr(16, 8);
  log.sum.add(head.substr(0, 24));
  const bool sized = log.page_bytes >= kLeastPage && log.page_bytes <= kMostPage &&
                     (log.page_bytes & (log.page_bytes - 1)) == 0;
  if (!sized || !log.sum.is_at(head, 24)) return std::nullopt;
  return log;
}

// Whether the frame belongs to the log; counts it in.
bool take_frame(Log& log, std::string_view frame) {
  if (frame.size() < kFrameHeadBytes + log.page_bytes) return false;
  if (frame.substr(8, 8) != log.salts || high_first_at(frame, 0) == 0) return false;
  log.sum.add(frame.substr(0, 8));
  log.sum.add(frame.substr(kFrameHeadBytes));
  return log.sum.is_at(frame, 16);
}

}  // namespace

Result<std::optional<std::string>> first_page_in_log(const std::string& path, size_t bytes) {
  std::optional<std::string> committed;
  const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() && errno == ENOENT) return committed;
  if (!file.valid()) return system_error("opening the log of the store", errno);
  ASSIGN_OR_RETURN(const std::string head, bytes_at(file, 0, kLogHeadBytes));
  std::optional<Log> log = log_of(head);
  if (!log) return committed;
  std::optional<std::string> written = committed;
  for (size_t at = kLogHeadBytes;; at += kFrameHeadBytes + log->page_bytes) {
    ASSIGN_OR_RETURN(const std::string frame,
                     bytes_at(file, at, kFrameHeadBytes + log->page_bytes));
    if (!take_frame(*log, frame)) return committed;
    const bool commits = high_first_at(frame, 4) != 0;
    if (high_first_at(frame, 0) == 1) written = frame.substr(kFrameHeadBytes, bytes);
    if (commits) committed = written;
  }
}

}  // namespace paddock::store::sqlite
