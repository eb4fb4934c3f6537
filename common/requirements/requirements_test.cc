#include "common/requirements/requirements.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::requirements {
namespace {

using Files = std::map<std::string, std::string>;

Result<Requirements> check_files(const Files& files, const std::optional<std::string>& index = "",
                                 const std::string& first = "requirements.txt") {
  const ReadFile read = [&](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return invalid_argument("REQUIREMENTS_MISSING", cat("the workspace has no file ", path));
  };
  return check_requirements(first, read, index);
}

Result<Requirements> check_requirements(std::string_view file) {
  return check_files({{"requirements.txt", std::string(file)}});
}

std::string fault_of_lines(std::string_view file) {
  const auto checked = check_requirements(file);
  return checked ? "" : checked.error().message;
}

TEST(Requirements, PlainRequirementsPass) {
  for (const char* line :
       {"numpy", "numpy==1.26.4", "usearch >= 2.0, < 3", "requests[security,socks]~=2.31",
        "zope.interface", "ruamel-yaml (>=0.17)", "pywin32; sys_platform == 'win32'",
        "torch==2.1.0+cpu", "a===1.0", "x==1!2.0.*", "tomli>=1.1.0 ; python_version < \"3.11\"",
        "numpy==1.26.4 --hash=sha256:0123abcd --hash=sha512:ff", "  spaced  ==  1.0  "}) {
    EXPECT_EQ(fault_of_lines(line), "") << line;
  }
}

TEST(Requirements, WhatPipGetsHasNoCommentsAndOneRequirementALine) {
  const auto checked = check_requirements(
      "\xef\xbb\xbf# -*- coding: utf-7 -*-\r\n\r\nnumpy \\\n  ==1.0 \\\n --hash=sha256:aa  # "
      "why\n\tb\n");
  ASSERT_TRUE(checked.ok()) << checked.error().describe();
  EXPECT_EQ(checked->text, "numpy ==1.0 --hash=sha256:aa\nb\n");
  EXPECT_EQ(checked->count, 2);
}

TEST(Requirements, AFileOfCommentsNamesNothing) {
  EXPECT_EQ(check_requirements("")->count, 0);
  EXPECT_EQ(check_requirements("# nothing\n\n   # more\n\\\n")->count, 0);
}

// proves: ORB-123
TEST(Requirements, EverythingElseIsRefusedWithItsLine) {
  const struct {
    const char* line;
    const char* says;
  } kCases[] = {
      {"-e .", "options are not allowed: -e"},
      {"-e git+https://example.com/x.git#egg=x", "options are not allowed"},
      {"--editable=.", "options are not allowed"},
      {"-r /etc/passwd", "not in the workspace"},
      {"-r/etc/passwd", "not in the workspace"},
      {"--requirement=../x", "not in the workspace"},
      {"-r https://evil.example/r.txt", "not in the workspace"},
      {"-r file:///etc/passwd", "not in the workspace"},
      {"-c ~/c.txt", "not in the workspace"},
      {"-r", "options are not allowed: -r"},
      {"-r a.txt b.txt", "options are not allowed: -r"},
      {"-c constraints.txt", "the workspace has no file constraints.txt"},
      {"-i https://evil.example", "options are not allowed"},
      {"--index-url https://evil.example", "options are not allowed: --index-url"},
      {"--index-url=https://evil.example", "options are not allowed"},
      {"--extra-index-url https://evil.example", "options are not allowed"},
      {"--find-links /etc", "options are not allowed"},
      {"-f /etc", "options are not allowed"},
      {"--no-binary :all:", "options are not allowed"},
      {"--pre x", "options are not allowed"},
      {"--only-binary=x", "options are not allowed"},
      {"--trusted-host evil.example", "options are not allowed"},
      {"https://evil.example/x.whl", "URLs are not allowed"},
      {"git+https://evil.example/x.git", "URLs are not allowed"},
      {"x @ https://evil.example/x.whl", "URLs are not allowed"},
      {"x @ file:/etc/x.whl", "references with @ are not allowed"},
      {"x@file:x", "references with @ are not allowed"},
      {"./local", "paths are not allowed"},
      {".", "paths are not allowed"},
      {"..", "paths are not allowed"},
      {"/abs/x", "paths are not allowed"},
      {"~/x", "paths are not allowed"},
      {"dir/x.whl", "paths are not allowed"},
      {"..\\x", "paths are not allowed"},
      {"x-1.0-py3-none-any.whl", "archives are not allowed"},
      {"x.tar.gz", "archives are not allowed"},
      {"X.ZIP", "archives are not allowed"},
      {"x --global-option=--evil", "only --hash"},
      {"x --config-settings=a=b", "only --hash"},
      {"x --hash=md5:aa", "only --hash"},
      {"x --hash sha256:aa", "only --hash"},
      {"x --hash=sha256:zz", "only --hash"},
      {"x==${HOME}", "variables are not allowed"},
      {"x; `id`", "the environment marker cannot be read"},
      {"x;", "the environment marker cannot be read"},
      {"x==", "the version specifier cannot be read"},
      {"x y", "the version specifier cannot be read"},
      {"x=1", "the version specifier cannot be read"},
      {"x[", "the extras cannot be read"},
      {"x[a b]", "the extras cannot be read"},
      {"_x", "not a requirement"},
      {"=1", "not a requirement"},
      {"\\x", "paths are not allowed"},
  };
  for (const auto& each : kCases) {
    const std::string said = fault_of_lines(std::string("# first\n") + each.line);
    EXPECT_TRUE(said.starts_with("requirements.txt line 2: ")) << each.line << " -> " << said;
    EXPECT_NE(said.find(each.says), std::string::npos) << each.line << " -> " << said;
  }
}

TEST(Requirements, AnOptionCannotHideBehindAContinuation) {
  EXPECT_NE(fault_of_lines("x \\\n--index-url=https://evil.example"), "");
  EXPECT_NE(fault_of_lines("# comment \\\n--index-url=https://evil.example"), "");
  EXPECT_NE(fault_of_lines("\\\n-r /etc/passwd"), "");
  EXPECT_EQ(fault_of_lines("x \\\n# comment ends it\ny"), "");
}

TEST(Requirements, OtherEncodingsAndControlCharactersAreRefused) {
  EXPECT_NE(fault_of_lines(std::string_view("\xff\xfe-\0r\0", 6)), "");
  EXPECT_NE(fault_of_lines(std::string_view("x\0y", 3)), "");
  EXPECT_NE(fault_of_lines("x\x0b-r /etc/passwd"), "");
  EXPECT_NE(fault_of_lines("x\xc3"), "");
  EXPECT_NE(fault_of_lines(std::string(2 << 20, '#')), "");
}

TEST(Requirements, ACarriageReturnAloneEndsNoLineUnseen) {
  EXPECT_TRUE(check_requirements("numpy==1.0\r\nscipy==1.0\r\n").ok());
  EXPECT_EQ(check_requirements("numpy==1.0\rscipy==1.0\n").error().reason, "REQUIREMENTS_INVALID");
  EXPECT_FALSE(check_requirements(" \r\re \r\r").ok());
}

TEST(Requirements, AllThatIsRefusedIsSaidAtOnceWithWhatToWriteInstead) {
  const std::string said = fault_of_lines(
      "-e .\nnumpy\nfoo @ git+https://x.test/foo\n--extra-index-url https://x.test\n");
  EXPECT_THAT(said,
              testing::ContainsRegex("line 1: [^;]*: -e; .*line 3: [^;]*; [^;]*NAME==VERSION"));
  EXPECT_THAT(said, testing::ContainsRegex("line 4: [^;]*: --extra-index-url; "));
  const std::vector<std::string> lines = split(said, '\n');
  ASSERT_EQ(lines.size(), 4U) << said;
  EXPECT_EQ(lines[0], "3 of the requirements cannot be installed:");
  EXPECT_TRUE(lines[2].starts_with("requirements.txt line 3: ")) << said;
  std::string many;
  for (int i = 0; i < 500; ++i) many += "-e .\n";
  EXPECT_LT(fault_of_lines(many).size(), 8000u);
  EXPECT_THAT(fault_of_lines(many), testing::HasSubstr(" 480 "));
}

TEST(Requirements, ArePlacedInTheirFilesByTheNamesThatPipCompares) {
  const auto checked =
      check_files({{"deps/dev.txt", "# x\n-r base.txt\npytest\n"},
                   {"deps/base.txt", "\nRuamel_Yaml.x[a] >=1\nnumpy==1\nNumPy==1\n"}},
                  "", "deps/dev.txt");
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->places,
            (std::map<std::string, std::string>{{"pytest", "deps/dev.txt line 3"},
                                                {"ruamel-yaml-x", "deps/base.txt line 2"},
                                                {"numpy", "deps/base.txt line 3"}}));
}

TEST(Requirements, OtherFilesOfTheWorkspaceAreReadFromWhereTheyAreNamed) {
  const auto checked =
      check_files({{"deps/dev.txt", "-r base.txt\n-c ../constraints.txt\npytest\n"},
                   {"deps/base.txt", "numpy\n"},
                   {"constraints.txt", "-r more/c.txt\nnumpy<2\n"},
                   {"more/c.txt", "six==1.16\n"}},
                  "", "deps/dev.txt");
  ASSERT_TRUE(checked.ok()) << checked.error().describe();
  EXPECT_EQ(checked->text, "numpy\npytest\n");
  EXPECT_EQ(checked->constraints, "six==1.16\nnumpy<2\n");
  EXPECT_EQ(checked->count, 2);
}

TEST(Requirements, TheContentIsTheFilesBytesAndTellsItsOthersApart) {
  EXPECT_EQ(check_files({{"requirements.txt", "a # x\r\n"}})->content, "a # x\r\n");
  const Files one = {{"requirements.txt", "-r b.txt"}, {"b.txt", "b"}};
  Files two = one;
  two["b.txt"] = "b # changed";
  EXPECT_NE(check_files(one)->content, check_files(two)->content);
}

TEST(Requirements, FilesThatNameEachOtherEnd) {
  EXPECT_EQ(
      check_files({{"requirements.txt", "-r b.txt\na"}, {"b.txt", "-r requirements.txt\nb"}})->text,
      "b\na\n");
  Files chain;
  for (int i = 0; i < 20; ++i) chain[cat(i, ".txt")] = cat("-r ", i + 1, ".txt\n");
  EXPECT_THAT(check_files(chain, "", "0.txt").error().message, testing::HasSubstr("8 deep"));
  Files wide;
  for (int i = 0; i < 100; ++i) {
    wide["requirements.txt"] += cat("-r ", i, ".txt\n");
    wide[cat(i, ".txt")] = "x\n";
  }
  EXPECT_THAT(check_files(wide).error().message, testing::HasSubstr("at most 32"));
  Files large;
  for (int i = 0; i < 3; ++i) {
    large["requirements.txt"] += cat("-r ", i, ".txt\n");
    large[cat(i, ".txt")] = std::string(400 << 10, '#');
  }
  EXPECT_THAT(check_files(large).error().message, testing::HasSubstr("1 MiB"));
}

TEST(Requirements, AnIndexIsLeftOutWhereItIsTheNodesOrPypi) {
  const Files own = {{"requirements.txt", "--index-url https://m.test/simple/\nx\n"}};
  EXPECT_EQ(check_files(own, "https://m.test/simple")->text, "x\n");
  EXPECT_TRUE(check_files(own, std::nullopt).ok());
  EXPECT_FALSE(check_files(own, "https://other.test/simple").ok());
  const auto pypi = check_files({{"requirements.txt", "-i https://pypi.org/simple\nx\n"}}, "");
  ASSERT_TRUE(pypi.ok());
  EXPECT_EQ(pypi->notes.size(), 1u);
}

TEST(Requirements, WhatToolsWritePasses) {
  EXPECT_EQ(fault_of_lines("# This file was autogenerated by uv via the following command:\n"
                           "#    uv export --no-emit-project\n"
                           "colorama==0.4.6 ; sys_platform == 'win32' \\\n"
                           "    --hash=sha256:08695f5c \\\n"
                           "    --hash=sha256:4f1d9991\n"
                           "    # via click\n"
                           "typing-extensions==4.12.2 ; python_full_version < '3.11' and "
                           "(platform_machine == 'x86_64' or extra == 'x')\n"),
            "");
  const auto compiled = check_requirements(
      "--require-hashes\n--only-binary :all:\nuvicorn[standard]==0.30.1 \\\r\n"
      "    --hash=sha256:aa\r\n    # via -r requirements.in\r\n");
  ASSERT_TRUE(compiled.ok()) << compiled.error().describe();
  EXPECT_EQ(compiled->text, "--require-hashes\nuvicorn[standard]==0.30.1 --hash=sha256:aa\n");
  EXPECT_EQ(compiled->count, 1);
}

}  // namespace
}  // namespace paddock::requirements
