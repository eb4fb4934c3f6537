// The pure parts that make text: tables, widths, progress, errors.
#include "common/base/text.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/terminal/error_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/safe_output.h"
#include "cli/terminal/table.h"
#include "common/base/units.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Table, AlignsColumnsAndLeavesNoTrailingSpace) {
  EXPECT_EQ(render({{"NAME", "PHASE"}, {{"a", "Running"}, {"longer", ""}}}),
            "NAME     PHASE\n"
            "a        Running\n"
            "longer   -\n");
}

TEST(Table, CountsWideAndCombiningCharactersAsTheTerminalDoes) {
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);
  EXPECT_EQ(render({{}, {{"日本", "x"}, {"abcd", "y"}}}), "日本   x\nabcd   y\n");
}

TEST(Table, AVeryLongCellDoesNotPadTheOtherLines) {
  const std::string longest(250, 'x');
  EXPECT_EQ(render({{"PATH", "SIZE"}, {{longest, "1 B"}, {"a", "2 B"}}}),
            "PATH   SIZE\n" + longest + "   1 B\na      2 B\n");
}

TEST(Table, ACellCannotDriveTheTerminal) {
  EXPECT_THAT(render({{}, {{"a\x1b]0;title\x07", "b\nc"}}}), Not(HasSubstr("\x1b")));
  EXPECT_EQ(printable("b\nc\xe2\x80\xae"), "b c\xef\xbf\xbd");
}

TEST(Terminal, ShortensByColumns) {
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  EXPECT_EQ(shorten("abc", 3), "abc");
}

TEST(SafeOutput, KeepsColoursAndDropsTheRest) {
  EXPECT_EQ(terminal_safe("\x1b[31mred\x1b[0m\tok\r\n"), "\x1b[31mred\x1b[0m\tok\r\n");
  EXPECT_EQ(terminal_safe("\x1b]52;c;aGk=\x07"), "]52;c;aGk=");
  EXPECT_EQ(terminal_safe("\x1b[2J\xc2\x9b"
                          "31m"),
            "31m");
}

// What a line goes back over is gone, and not the half of another line.
TEST(SafeOutput, LetsAProgressBarGoBackAndNoTextOverdrawAnother) {
  EXPECT_EQ(terminal_safe("10%\r20%\n"), "10%\r\x1b[K20%\n");
  EXPECT_EQ(terminal_safe("rm -rf /\b\b\bok\n"), "rm -rf /\b\b\b\x1b[Kok\n");
  EXPECT_EQ(terminal_safe("a\r\nb\r\r\n"), "a\r\nb\r\x1b[K\r\n");
  EXPECT_EQ(terminal_safe("end\r"), "end\r\x1b[K");
}

TEST(SafeOutput, ShowsTextInTheOrderInWhichItIs) {
  EXPECT_EQ(terminal_safe("user \xe2\x80\xae\xe2\x81\xa6nimda\xe2\x81\xa9"),
            "user \xef\xbf\xbd\xef\xbf\xbdnimda\xef\xbf\xbd");
  EXPECT_EQ(terminal_safe("a\xe2\x80\x8f b\xe2\x80\x8e"), "a b");
  EXPECT_EQ(terminal_safe("\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"), "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d");
  EXPECT_EQ(terminal_safe("a\xe2\x80\xa8"
                          "b"),
            "a\xef\xbf\xbd"
            "b");
}

TEST(Progress, IsReadFromALineOfItsOwn) {
  EXPECT_EQ(parse_progress("progress 3/10 reading\n"), (Progress{3, 10, "reading"}));
  EXPECT_EQ(parse_progress("progress 12/10"), (Progress{10, 10, ""}));
  for (const char* line : {"progress", "progress 3", "progress a/b", "progress 3/0",
                           "progress -1/3", "in progress 1/2"}) {
    EXPECT_FALSE(parse_progress(line)) << line;
  }
}

TEST(Progress, FitsTheTerminal) {
  EXPECT_EQ(progress_line("run", {5, 10, "x"}, 80), "run [############............] 50% 5/10 x");
  EXPECT_LE(display_width(progress_line("run", {5, 10, std::string(100, 'x')}, 40)), 39U);
  const Progress mebibytes{5 << 20, 10 << 20, "", true};
  EXPECT_EQ(progress_line("upload", mebibytes, 38), "upload [##..] 50% 5.0 MiB of 10.0 MiB");
  EXPECT_EQ(progress_line("upload", mebibytes, 34), "upload 50% 5.0 MiB of 10.0 MiB");
  for (int width = 32; width < 100; ++width) {
    const std::string line = progress_line("upload", mebibytes, width);
    EXPECT_TRUE(line.ends_with("50% 5.0 MiB of 10.0 MiB")) << line;
    EXPECT_LT(display_width(line), static_cast<size_t>(width));
  }
  EXPECT_EQ(progress_line("upload", {5 << 20, 10 << 20, "", true}, 80),
            cat("upload [############............] 50% ", format_bytes(5 << 20), " of ",
                format_bytes(10 << 20)));
}

TEST(Progress, IsOneRedrawnLineOnATerminalAndSparseElsewhere) {
  std::string shown;
  const auto write = [&](std::string_view text) { shown += text; };
  const Stream tty{write, true, false, 80};
  {
    ProgressDisplay display(tty, "run");
    display.show({1, 10, ""}, {0});
    display.show({2, 10, ""}, {50});
    display.show({3, 10, ""}, {200});
  }
  EXPECT_EQ(std::ranges::count(shown, '\n'), 0);
  EXPECT_THAT(shown, HasSubstr("3/10"));
  EXPECT_THAT(shown, Not(HasSubstr("2/10")));
  EXPECT_TRUE(shown.ends_with("\r\x1b[K"));
  shown.clear();
  const Stream plain{write, false, false, 80};
  ProgressDisplay display(plain, "run");
  for (int64_t i = 0; i <= 10; ++i) display.show({i, 100, ""}, {i * 1000});
  EXPECT_EQ(std::ranges::count(shown, '\n'), 2);
  EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
}

TEST(ErrorText, SaysWhatWhereAndWhatToDo) {
  const Stream plain;
  Error error{Code::kPermissionDenied,
              "LOCK_HELD",
              "the command is refused",
              {{"spec.command[1]", "-c runs code"}}};
  EXPECT_EQ(error_text(error, plain),
            "error: the command is refused [LOCK_HELD]\n"
            "  spec.command[1]: -c runs code\n"
            "hint: wait for it, or end it, and try again\n");
  EXPECT_THAT(error_text({Code::kUnavailable, "INSTANCE_NOT_UP", "x"}, plain),
              HasSubstr("paddock up"));
  const Error away{Code::kUnavailable, "CONTROLLER_NOT_READY", "x"};
  EXPECT_EQ(hint_for(away), "`paddock status` shows what is up");
  EXPECT_EQ(hint_for(away, " --server http://x"),
            "`paddock status --server http://x` shows what is up");
  const Error once{Code::kInvalidArgument, "USAGE", "huge has 5.0 GiB", {{"huge", "has 5.0 GiB"}}};
  EXPECT_EQ(error_text(once, plain), "error: huge has 5.0 GiB [USAGE]\n");
  // As a command writes it of an object in a file, and what Check says of several faults.
  Error named{Code::kInvalidArgument,
              "UNKNOWN_FIELD",
              "b1.yaml: spec.nope: unknown field",
              {{"spec.nope", "unknown field"}}};
  EXPECT_EQ(error_text(named, plain), "error: b1.yaml: spec.nope: unknown field [UNKNOWN_FIELD]\n");
  named.message += " (and 1 more)";
  named.causes.push_back({"spec.odd", "unknown field"});
  EXPECT_EQ(error_text(named, plain),
            "error: b1.yaml: spec.nope: unknown field (and 1 more) [UNKNOWN_FIELD]\n"
            "  spec.odd: unknown field\n");
  const Error taken{
      Code::kConflict, "STALE_RESOURCE_VERSION", "b1.yaml: it is taken", {{"name", "it is taken"}}};
  EXPECT_EQ(error_text(taken, plain),
            "error: b1.yaml: it is taken [STALE_RESOURCE_VERSION]\n  name\n");
  const Error lines{Code::kInvalidArgument, "USAGE", "2 lines:\nr.txt line 1: x\nr.txt line 2: y"};
  EXPECT_EQ(error_text(lines, plain),
            "error: 2 lines: [USAGE]\n  r.txt line 1: x\n  r.txt line 2: y\n");
}

}  // namespace
}  // namespace paddock::cli
