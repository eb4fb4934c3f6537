#include "cli/commands/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/text.h"

namespace paddock::cli {

namespace {
constexpr size_t kReadAtOnce = 256 << 10;
}

Result<LineReader> LineReader::open(const std::string& path, size_t most) {
  os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.valid()) return LineReader(std::move(file), most);
  const int cause = errno;
  return system_error(cat("cannot open ", path), cause);
}

// False at the end of the file.
Result<bool> LineReader::read_more() {
  read_.erase(0, begin_);
  begin_ = 0;
  const size_t had = read_.size();
  if (had > most_)
    return Error{Code::kTooLarge, "FILE_TOO_LARGE", cat("a line has more than ", most_, " bytes")};
  read_.resize(had + kReadAtOnce);
  ssize_t got = 0;
  do {
    got = ::read(file_.get(), read_.data() + had, kReadAtOnce);
  } while (got < 0 && errno == EINTR);
  const int cause = errno;
  read_.resize(had + static_cast<size_t>(got < 0 ? 0 : got));
  if (got < 0) return system_error("cannot read the file", cause);
  return got > 0;
}

Result<std::optional<std::string>> LineReader::next() {
  size_t looked = begin_;
  while (true) {
    const size_t end = read_.find('\n', looked);
    if (end != std::string::npos) {
      std::string line = read_.substr(begin_, end - begin_);
      begin_ = end + 1;
      return std::optional(std::move(line));
    }
    looked = read_.size() - begin_;
    ASSIGN_OR_RETURN(const bool more, read_more());
    if (more) continue;
    if (read_.empty()) return std::optional<std::string>();
    begin_ = read_.size();
    return std::optional(read_);
  }
}

}  // namespace paddock::cli
