#include "common/os/start_report.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"

namespace paddock::os {

Fd take_start_report() {
  const char* value = ::getenv(kStartReportVariable);
  if (value == nullptr) return {};
  const int number = parse_integer<int>(value).value_or(-1);
  ::unsetenv(kStartReportVariable);
  struct stat found {};
  // Whatever the variable says: nothing else is taken over.
  if (number <= STDERR_FILENO || ::fstat(number, &found) != 0 || !S_ISFIFO(found.st_mode))
    return {};
  ::fcntl(number, F_SETFD, FD_CLOEXEC);
  ::fcntl(number, F_SETFL, O_NONBLOCK);
  return Fd(number);
}

void report_start_failure(const Fd& starter, const Error& error) {
  if (!starter.valid()) return;
  std::string text = cat(code_name(error.code), "\n", error.reason, "\n", error.describe())
                         .substr(0, _POSIX_PIPE_BUF);
  text.resize(utf8_prefix(text));
  (void)write_all(starter.get(), text);
}

std::optional<StartFailure> read_start_failure(const Fd& report) {
  if (!report.valid()) return std::nullopt;
  ::fcntl(report.get(), F_SETFL, O_NONBLOCK);
  char text[_POSIX_PIPE_BUF];
  const ssize_t size = ::read(report.get(), text, sizeof text);
  if (size <= 0) return std::nullopt;
  const std::string said(text, static_cast<size_t>(size));
  const size_t first = said.find('\n');
  const size_t second = first == std::string::npos ? first : said.find('\n', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return StartFailure{said.substr(0, first), said.substr(first + 1, second - first - 1),
                      said.substr(second + 1)};
}

}  // namespace paddock::os
