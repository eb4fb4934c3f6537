#include "controller/s3/credentials.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::s3 {
namespace {

constexpr size_t kMostBytes = 64 << 10;

// May pass: nothing of it is the fault of whoever wants a blob, and a file that is just being
// written is read again with the next request.
Error unusable(std::string_view why) {
  return {Code::kUnavailable, "BUCKET_CREDENTIALS",
          cat("the file of blobs.s3.credentialsFile ", why)};
}

bool is_plain(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return c > ' ' && static_cast<signed char>(c) > 0 && c != 0x7F;
  });
}

void take(Credentials& out, std::string_view key, std::string_view value) {
  if (key == "aws_access_key_id") out.access_key = value;
  if (key == "aws_secret_access_key") out.secret_key = value;
  if (key == "aws_session_token") out.session_token = value;
}

}  // namespace

Result<Credentials> parse_credentials(std::string_view text) {
  Credentials out;
  bool ours = true;  // what stands before any section, or in [default]
  for (const std::string& each : split(text, '\n')) {
    const std::string_view line = trim(each);
    if (line.empty() || line.starts_with('#') || line.starts_with(';')) continue;
    if (line.starts_with('[')) {
      ours = line == "[default]";
      continue;
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return unusable("has a line that is not `name = value`");
    if (ours) take(out, trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
  }
  if (!is_plain(out.access_key) || !is_plain(out.secret_key) ||
      (!out.session_token.empty() && !is_plain(out.session_token)))
    return unusable("must have aws_access_key_id and aws_secret_access_key, below [default]");
  return out;
}

Result<Credentials> read_credentials(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info = {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) return unusable("cannot be read");
  if (!S_ISREG(info.st_mode)) return unusable("is no file");
  if ((info.st_mode & 07) != 0)
    return unusable("may be read by everybody on this host: chmod o-rwx it");
  const Result<std::string> text = os::read_all(file.get(), kMostBytes);
  if (!text) return unusable("cannot be read, or is too large");
  return parse_credentials(*text);
}

}  // namespace paddock::s3
