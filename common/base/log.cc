#include "common/base/log.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "common/base/guarded.h"
#include "common/base/text.h"
#include "common/base/time.h"

namespace paddock {
namespace {

// How long a reader that lags is waited for in all. Each line that goes at once earns some of it.
constexpr Millis kPatience{1'000};
constexpr Millis kEarned{10};

std::atomic<LogLevel> log_level{LogLevel::kInfo};

std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "?";
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : to_utf8_lossy(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += buffer;
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string make_line(LogLevel level, std::string_view message,
                      std::initializer_list<LogField> fields) {
  std::string line = cat("{\"time\":\"", format_time(SystemClock().wall(), true), "\",\"level\":\"",
                         level_name(level), "\",\"message\":");
  append_json_string(line, message);
  for (const LogField& field : fields) {
    line += ',';
    append_json_string(line, field.key);
    line += ':';
    append_json_string(line, field.value);
  }
  line += "}\n";
  return line;
}

// Writes lines. If none can be written (a full disk, a pipe that nobody reads), they are counted,
// and the log says how many are lost as soon as it can be written again.
class Outlet {
 public:
  explicit Outlet(int fd) : fd_(fd) {}

  void put(const std::string& line) {
    if (lost_ > 0 && has_room(Millis(0))) tell_lost();
    if (lost_ > 0 || !write_line(line)) ++lost_;
  }

 private:
  void tell_lost() {
    const std::string line =
        make_line(LogLevel::kWarn,
                  "lines of this log are lost: its disk was full, or whoever reads it stood still",
                  {{"lines", std::to_string(lost_)}});
    if (write_line(torn_ ? "\n" + line : line)) lost_ = 0;
  }

  bool write_line(std::string_view line) {
    const size_t most = piece_size();
    bool at_once = true;
    for (size_t piece = 0; !line.empty(); line.remove_prefix(piece)) {
      if (!has_room(Millis(0))) {
        at_once = false;
        if (!wait_for_room()) return false;
      }
      const ssize_t got = ::write(fd_, line.data(), std::min(line.size(), most));
      if (got <= 0) return false;
      piece = static_cast<size_t>(got);
      torn_ = line[piece - 1] != '\n';
    }
    if (at_once) patience_ = std::min(kPatience, patience_ + kEarned);
    return true;
  }

  bool wait_for_room() {
    const SystemClock clock;
    const MonoTime begun = clock.mono();
    const bool room = has_room(patience_);
    patience_ = std::max(Millis(0), patience_ - (clock.mono() - begun));
    return room;
  }

  // True on an error, too: write() will report it.
  bool has_room(Millis wait) const {
    pollfd out{fd_, POLLOUT, 0};
    int ready = 0;
    while ((ready = ::poll(&out, 1, static_cast<int>(wait.count()))) < 0 && errno == EINTR) {
    }
    return ready != 0;
  }

  // How many bytes a pipe with room surely takes without waiting. A line goes to a file in one
  // piece, as other processes write there too.
  size_t piece_size() const {
    struct stat info {};
    const bool file =
        ::fstat(fd_, &info) == 0 && !S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode);
    return file ? SIZE_MAX : size_t{PIPE_BUF};
  }

  int fd_;
  Millis patience_ = kPatience;  // that is left
  int64_t lost_ = 0;             // lines, since the last one that was written
  bool torn_ = false;            // only a part of the last one was
};

Guarded<Outlet>& outlet() {
  static Guarded<Outlet> only{Outlet(STDERR_FILENO)};
  return only;
}

}  // namespace

void set_log_level(LogLevel level) { log_level = level; }
void set_log_fd(int fd) {
  outlet().with([fd](Outlet& out) { out = Outlet(fd); });
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < log_level.load()) return;
  const std::string line = make_line(level, message, fields);
  outlet().with([&line](Outlet& out) { out.put(line); });
}

}  // namespace paddock
