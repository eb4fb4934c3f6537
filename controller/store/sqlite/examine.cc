#include "controller/store/sqlite/examine.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include <sqlite3.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "controller/store/sqlite/migrations.h"
#include "controller/store/sqlite/open_file.h"

namespace paddock::store::sqlite {

namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
// Of the file format: where the header has them, each four bytes, the highest first.
constexpr size_t kUserVersionAt = 60;
constexpr size_t kApplicationAt = 68;
using Header = std::array<char, 100>;

int64_t number_at(const Header& header, size_t at) {
  uint32_t bits = 0;
  for (size_t i = 0; i < 4; ++i) bits = bits << 8 | static_cast<unsigned char>(header[at + i]);
  return bits;
}

Error not_opened(int errno_value) {
  return Error{Code::kFailedPrecondition, "STORE_UNWRITABLE",
               "the store cannot be opened for writing; give the controller a data folder that its "
               "user may write, on a disk with free space"}
      .within(system_error("opening the store's file", errno_value).describe());
}

}  // namespace

Result<Examined> examine(const std::string& path) {
  Examined out;
  out.engine = cat("SQLite ", sqlite3_libversion());
  out.newest_schema = schema_version();
  if (!os::exists(path)) return out;
  const os::Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) return not_opened(errno);
  TRY(check_suitable(file));
  Header header{};
  const ssize_t got = ::pread(file.get(), header.data(), header.size(), 0);
  if (got < 0) return not_opened(errno);
  if (got == 0) return out;  // made just now
  const bool ours = static_cast<size_t>(got) == header.size() &&
                    std::string_view(header.data(), kMagic.size()) == kMagic;
  if (!ours) return not_ours();
  out.schema = number_at(header, kUserVersionAt);
  const int64_t application = number_at(header, kApplicationAt);
  if (application != kApplicationId && (application != 0 || out.schema != 0)) return not_ours();
  if (out.schema > schema_version()) return schema_too_new(out.schema);
  return out;
}

}  // namespace paddock::store::sqlite
