// Structured log: a JSON object per line on stderr (or a given descriptor). A pipe or socket whose
// reader stands still, and a full disk, hold nobody up for more than a second in all: lines are
// lost, and counted. A terminal that is stopped, or a disk that hangs, does hold up who logs.
// Thread-safe. Never pass a secret or a run's output.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace paddock {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

struct LogField {
  std::string_view key;
  std::string value;
};

void set_log_level(LogLevel level);
void set_log_fd(int fd);
void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

inline void log_info(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::kInfo, message, fields);
}
inline void log_warn(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::kWarn, message, fields);
}
inline void log_error(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log(LogLevel::kError, message, fields);
}

}  // namespace paddock
