#include "node-agent/runtimes/requirements.h"

#include <gtest/gtest.h>

namespace paddock::runtimes {
namespace {

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
      {"-r /etc/passwd", "options are not allowed: -r"},
      {"-r/etc/passwd", "options are not allowed"},
      {"-c constraints.txt", "options are not allowed"},
      {"-i https://evil.example", "options are not allowed"},
      {"--index-url https://evil.example", "options are not allowed: --index-url"},
      {"--index-url=https://evil.example", "options are not allowed"},
      {"--extra-index-url https://evil.example", "options are not allowed"},
      {"--find-links /etc", "options are not allowed"},
      {"-f /etc", "options are not allowed"},
      {"--no-binary :all:", "options are not allowed"},
      {"--pre", "options are not allowed"},
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
    EXPECT_TRUE(said.starts_with("line 2: ")) << each.line << " -> " << said;
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

}  // namespace
}  // namespace paddock::runtimes
