#include "cli/commands/line_reader.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

std::vector<std::string> lines_of(const std::string& content, size_t most = 1000) {
  const std::string path = cat(testing::TempDir(), "lines-", ::getpid());
  EXPECT_TRUE(os::write_file_atomic(path, content).ok());
  auto reader = LineReader::open(path, most);
  std::vector<std::string> out;
  while (true) {
    const auto line = reader->next();
    if (!line.ok()) out.push_back(line.error().reason.str());
    if (!line.ok() || !*line) break;
    out.push_back(**line);
  }
  std::filesystem::remove(path);
  return out;
}
using Lines = std::vector<std::string>;

TEST(LineReader, GivesEachLineOnce) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("a\n\nb\n"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\nb"), (Lines{"a", "b"})) << "the last one without its newline";
  const std::string large(600'000, 'x');
  EXPECT_EQ(lines_of(cat(large, "\ny\n", large, "\nz"), 1'000'000),
            (Lines{large, "y", large, "z"}));
}

TEST(LineReader, RefusesALineWithoutEnd) {
  EXPECT_EQ(lines_of(cat("a\n", std::string(2'000'000, 'x')), 1000),
            (Lines{"a", "FILE_TOO_LARGE"}));
}

TEST(LineReader, SaysWhatItCannotRead) {
  EXPECT_FALSE(LineReader::open("/nowhere/at/all", 10).ok());
  auto folder = LineReader::open("/", 10);
  ASSERT_TRUE(folder.ok());
  EXPECT_FALSE(folder->next().ok());
}

}  // namespace
}  // namespace paddock::cli
