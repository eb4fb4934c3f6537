#include "common/base/log.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "common/base/text.h"
#include "common/base/time.h"

namespace paddock {
namespace {

std::atomic<int> log_fd{STDERR_FILENO};
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

}  // namespace

void set_log_level(LogLevel level) { log_level = level; }
void set_log_fd(int fd) { log_fd = fd; }

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < log_level.load()) return;
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
  // A log line that cannot be written has nowhere to be reported.
  [[maybe_unused]] const ssize_t written = write(log_fd.load(), line.data(), line.size());
}

}  // namespace paddock
