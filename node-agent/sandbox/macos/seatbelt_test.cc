#include "node-agent/sandbox/macos/seatbelt.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

SeatbeltView view() {
  return {.folders = {{"/Users/ann/paddock/runs/r1/workspace", true},
                      {"/Users/ann/paddock/venvs/v1", false}},
          .scratch = "/private/var/folders/x/paddock-run-1/tmp",
          .files = {"/opt/paddock/bin/paddock-confine"}};
}

SeatbeltView gpu_view() {
  SeatbeltView out = view();
  out.gpu = true;
  return out;
}

std::string profile_of(const SeatbeltView& view) {
  const auto text = render_seatbelt(view);
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : std::string();
}

// The text of a file in testdata; `text` becomes that file when golden files are accepted.
std::string on_record(const std::string& name, const std::string& text) {
  const std::string path =
      cat(std::getenv("PADDOCK_SOURCE_DIR"), "/node-agent/sandbox/macos/testdata/", name);
  if (std::getenv("PADDOCK_ACCEPT_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Each begins a line of its own.
int rules_in(const std::string& text) {
  int out = 0;
  for (const std::string& line : split(text, '\n')) out += line.starts_with("(") ? 1 : 0;
  return out;
}

size_t at(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << part;
  return text.find(part);
}

// proves partly: ORB-36, ORB-37, ORB-38, ORB-39, ORB-40, ORB-41, ORB-42, ORB-43, ORB-44, ORB-45
// ORB-46, ORB-47, ORB-48, ORB-49
TEST(Seatbelt, RendersTheProfileThatIsOnRecord) {
  EXPECT_EQ(profile_of(view()), on_record("profile.sb", profile_of(view())));
}

// proves partly: ORB-02
TEST(Seatbelt, RendersTheProfileWithTheGpuThatIsOnRecord) {
  EXPECT_EQ(profile_of(gpu_view()), on_record("profile_gpu.sb", profile_of(gpu_view())));
}

// proves partly: ORB-44
TEST(Seatbelt, TheGpuAddsTwoRulesAndChangesNoOther) {
  const std::string text = profile_of(gpu_view());
  const size_t start = at(text, "\n(allow iokit-open\n");
  const size_t end = at(text, "\n(allow file-read-metadata\n  (literal \"/Users\")");
  const std::string added = text.substr(start, end - start);
  std::string rest = text;
  rest.erase(start, end - start);
  EXPECT_EQ(rest, profile_of(view()));
  EXPECT_EQ(rules_in(added), 2);
  EXPECT_THAT(added, HasSubstr("\n(allow mach-lookup\n"));
  EXPECT_THAT(added, HasSubstr("AGXDeviceUserClient"));
  for (const char* wide : {"*", "regex", "prefix", "iokit-connection", "IOHID", "WindowServer",
                           "(allow iokit-open)", "(allow mach-lookup)", "file-"})
    EXPECT_THAT(added, Not(HasSubstr(wide)));
}

TEST(Seatbelt, APathCannotOpenTheGpu) {
  SeatbeltView hostile = view();
  hostile.folders = {{R"(/w/") (allow iokit-open) (x ")", true}, {"/w/apple:gpu", false}};
  const std::string text = profile_of(hostile);
  EXPECT_THAT(text, Not(HasSubstr("\n(allow iokit")));
  EXPECT_EQ(rules_in(text), rules_in(profile_of(view())));
}

TEST(Seatbelt, DeniesByDefaultAndTheNetworkLast) {
  const std::string text = profile_of(view());
  EXPECT_TRUE(text.starts_with("(version 1)\n(deny default)\n"));
  EXPECT_TRUE(text.ends_with("(deny network*)\n"));
  EXPECT_THAT(text, HasSubstr("(allow process-exec)\n(allow process-fork)\n"));
}

// proves partly: ORB-50, ORB-51, ORB-52, ORB-55
TEST(Seatbelt, NamesNothingOfTheHomeFolderButTheWayToTheWorkspace) {
  const std::string text = profile_of(view());
  EXPECT_THAT(text, Not(HasSubstr("(subpath \"/Users\")")));
  EXPECT_THAT(text, Not(HasSubstr("(subpath \"/Users/ann\")")));
  EXPECT_THAT(text, Not(HasSubstr("(deny file-read*")));  // it would win over the workspace
  EXPECT_THAT(text, HasSubstr("  (literal \"/Users/ann\")"));
  EXPECT_LT(at(text, "(allow file-read-metadata\n  (literal \"/Users\")"),
            at(text, "  (literal \"/Users/ann\")"));
}

TEST(Seatbelt, GivesNeitherKeychainsNorAccountsNorOtherServices) {
  const std::string text = profile_of(view());
  for (const char* wide :
       {"(subpath \"/Library\")", "(subpath \"/private/etc\")", "(subpath \"/private/var/db\")",
        "(allow mach-lookup)", "iokit", "com.apple.SecurityServer", "(allow file-read*)"}) {
    EXPECT_THAT(text, Not(HasSubstr(wide)));
  }
}

// proves partly: ORB-38
TEST(Seatbelt, LetsTheInnerFolderDecide) {
  SeatbeltView nested = view();
  nested.folders = {{"/w/a/b/c", true}, {"/w/a/b", false}, {"/w/a", true}, {"/w/a/b/c", false}};
  const std::string text = profile_of(nested);
  const size_t outer = at(text, "(allow file-read* file-write*\n  (subpath \"/w/a\"))");
  const size_t inner = at(text, "(deny file-write*\n  (subpath \"/w/a/b\"))");
  const size_t innermost = at(text, "(allow file-read* file-write*\n  (subpath \"/w/a/b/c\"))");
  EXPECT_LT(outer, inner);
  EXPECT_LT(inner, innermost);
  EXPECT_LT(innermost, at(text, "(deny file-write*\n  (subpath \"/w/a/b/c\"))"));
}

TEST(Seatbelt, QuotesAHostilePathSoThatItStaysOneString) {
  SeatbeltView hostile = view();
  hostile.folders = {{R"(/w/a") (allow default) (x "\)", true}, {"/w/\xc3\xa9 ;#|'(", false}};
  const std::string text = profile_of(hostile);
  EXPECT_THAT(text, HasSubstr(R"((subpath "/w/a\") (allow default) (x \"\\"))"));
  EXPECT_THAT(text, HasSubstr("(subpath \"/w/\xc3\xa9 ;#|'(\")"));
}

TEST(Seatbelt, RefusesWhatAProfileCannotNameSafely) {
  for (const std::string& path :
       {std::string("/"), std::string(""), std::string("relative"), std::string("/w/../etc"),
        std::string("/w//x"), std::string("/w/"), std::string("/w/a\nb"), std::string("/w/a\tb"),
        std::string("/w/a\x7f"), std::string("/w/a\xff"), std::string("/w/a\0b", 6)}) {
    SeatbeltView bad = view();
    bad.folders = {{path, true}};
    EXPECT_EQ(render_seatbelt(bad).error().reason, "UNSUPPORTED_PATH") << path;
    bad = view();
    bad.scratch = path;
    EXPECT_EQ(render_seatbelt(bad).error().reason, "UNSUPPORTED_PATH") << path;
    bad = view();
    bad.files = {path};
    EXPECT_EQ(render_seatbelt(bad).error().reason, "UNSUPPORTED_PATH") << path;
  }
}

}  // namespace
}  // namespace paddock::sandbox
