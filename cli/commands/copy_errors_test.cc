#include "cli/commands/copy_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;
using Wish = RunPlace::Wish;

RunPlace place(const std::string& typed, Wish wish = Wish::kRead) {
  return {typed, parse_run_path(typed, "FROM").value(), wish};
}
std::string told(Reason reason, Code code, const RunPlace& where) {
  return of_run_file({code, reason, "that failed"}, where).message;
}

TEST(CopyErrors, NameTheFileAsItWasTypedAndTheSideWhereItIs) {
  EXPECT_THAT(told("E_LIMIT_FS", Code::kTooLarge, place("run/train:/workspace/x")),
              HasSubstr("`run/train:/workspace/x`, in the run: that failed"));
  EXPECT_EQ(
      of_file_here({Code::kPermissionDenied, "SYSTEM_ERROR", "opening x: no"}, "../x").message,
      "`../x`, here: opening x: no");
}

TEST(CopyErrors, OfWhatIsNotThereNameTheFolderToLookInto) {
  const auto missing = [](const std::string& typed) {
    return told("FILE_NOT_FOUND", Code::kNotFound, place(typed));
  };
  EXPECT_THAT(missing("train:nosuch"), HasSubstr("`paddock files train` lists"));
  EXPECT_THAT(missing("train:a/b/nosuch"), HasSubstr("`paddock files train:a/b` lists"));
}

TEST(CopyErrors, NameTheWayThatWorks) {
  EXPECT_THAT(told("LINK_IN_PATH", Code::kInvalidArgument, place("train:x")),
              HasSubstr("name the file that it leads to"));
  EXPECT_THAT(told("NOT_A_REGULAR_FILE", Code::kInvalidArgument, place("train:out", Wish::kPut)),
              HasSubstr("train:out/"));
  EXPECT_THAT(told("FILE_CHANGED", Code::kFailedPrecondition, place("train:x")),
              HasSubstr("copy one that it has finished"));
  EXPECT_THAT(told("FILE_NOT_ALLOWED", Code::kFailedPrecondition, place("train:x")),
              HasSubstr("paddock exec train -- ls -la"));
  EXPECT_THAT(
      of_file_here({Code::kResourceExhausted, "SYSTEM_ERROR", "writing: full"}, "x").message,
      HasSubstr("nothing of it was kept"));
}

TEST(CopyErrors, OfTheConnectionOrTheRunsNameAreAboutNoFile) {
  for (const Error& each : {Error{Code::kUnavailable, "CONNECTION_BROKEN", "broke"},
                            Error{Code::kPermissionDenied, "SCOPE_MISSING", "not allowed"},
                            Error{Code::kNotFound, "RUN_NOT_FOUND", "no run"}})
    EXPECT_EQ(of_run_file(each, place("train:x")).message, each.message);
}

// Else the terminal would show both.
TEST(CopyErrors, ACauseThatSaysTheSameIsRewordedToo) {
  const Error error =
      of_run_file(invalid_argument("LINK_IN_PATH", "a link", "path"), place("train:x"));
  ASSERT_EQ(error.causes.size(), 1U);
  EXPECT_EQ(error.causes[0].message, error.message);
}

TEST(CopyErrors, LinesForFoldersAndLargeFilesAreWhatAShellReads) {
  const RunPath to = parse_run_path("train:in/a b", "TO").value();
  EXPECT_EQ(folder_way("my data", to),
            "`tar -cf - 'my data' | paddock exec -i train -- tar -xf -`");
  EXPECT_EQ(large_way("big", parse_run_path("train:big", "TO").value()),
            "`paddock exec -i train -- sh -c 'cat >big' <big`");
  EXPECT_THAT(large_way("big", to), HasSubstr(R"(sh -c 'cat >'\''in/a b'\''')"));
}

}  // namespace
}  // namespace paddock::cli
