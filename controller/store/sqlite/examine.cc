#include "controller/store/sqlite/examine.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include <sqlite3.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "controller/store/sqlite/log_head.h"
#include "controller/store/sqlite/migrations.h"
#include "controller/store/sqlite/open_file.h"

namespace paddock::store::sqlite {

namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
// Offsets of SQLite's file format: the header and, behind it, the head of the page that lists the
// tables.
constexpr size_t kHeaderBytes = 100;
constexpr size_t kHeadBytes = kHeaderBytes + 8;
constexpr size_t kUserVersionAt = 60;
constexpr size_t kApplicationAt = 68;
constexpr size_t kPageKindAt = kHeaderBytes;
constexpr size_t kCellsAt = kHeaderBytes + 3;
constexpr char kLeafPage = 0x0D;

// The highest byte is the first one.
uint32_t number_at(std::string_view head, size_t at, size_t bytes) {
  uint32_t bits = 0;
  for (size_t i = 0; i < bytes; ++i) bits = bits << 8 | static_cast<unsigned char>(head[at + i]);
  return bits;
}

// A list that is more than one page has something in it.
bool lists_tables(std::string_view head) {
  return head[kPageKindAt] != kLeafPage || number_at(head, kCellsAt, 2) > 0;
}

Marks marks_in(std::string_view head) {
  return {static_cast<int32_t>(number_at(head, kApplicationAt, 4)),
          static_cast<int32_t>(number_at(head, kUserVersionAt, 4)), lists_tables(head)};
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
  TRY(check_beside(path));
  ASSIGN_OR_RETURN(const bool there, os::is_there(path));
  if (!there) return out;
  const os::Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return not_opened(errno);
  TRY(check_suitable(file));
  std::string head(kHeadBytes, '\0');
  const ssize_t got = ::pread(file.get(), head.data(), head.size(), 0);
  if (got < 0) return not_opened(errno);
  if (got == 0) return out;  // made just now
  const bool is_database = static_cast<size_t>(got) == head.size() && head.starts_with(kMagic);
  if (!is_database) return not_ours();
  ASSIGN_OR_RETURN(const auto newer, first_page_in_log(path + "-wal", kHeadBytes));
  const Marks marks = marks_in(newer.value_or(head));
  TRY(check_marks(marks));
  out.schema = marks.schema;
  return out;
}

}  // namespace paddock::store::sqlite
