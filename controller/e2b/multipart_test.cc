#include "controller/e2b/multipart.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::e2b {
namespace {

constexpr std::string_view kType = "multipart/form-data; boundary=----x1";

std::string part(std::string_view disposition, std::string_view content) {
  return cat("------x1\r\nContent-Disposition: form-data; ", disposition,
             "\r\nContent-Type: application/octet-stream\r\n\r\n", content, "\r\n");
}

std::string refused_form(std::string_view body, std::string_view type = kType) {
  const auto read = uploaded_files(type, body);
  return read.ok() ? "" : read.error().reason.str();
}

TEST(Multipart, FilesAreTakenAsTheyAre) {
  const std::string content = "a\r\n--\r\n------x\0\xff" + std::string("\r\n");
  const std::string body = part("name=\"file\"; filename=\"a/b;c.txt\"", content) +
                           part("name=\"file\"; filename=\"%22q%22 100%.txt\"", "") +
                           "------x1--\r\n";
  const auto read = uploaded_files(kType, body);
  ASSERT_TRUE(read.ok()) << read.error().describe();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].name, "a/b;c.txt");
  EXPECT_EQ((*read)[0].content, content);
  EXPECT_EQ((*read)[1].name, "\"q\" 100%.txt");
  EXPECT_EQ((*read)[1].content, "");
  EXPECT_TRUE(uploaded_files("Multipart/Form-Data; boundary=\"----x1\"", body).ok());
}

TEST(Multipart, WhatIsNoFormOfFilesIsRefused) {
  const std::string good = part("name=\"file\"; filename=\"a\"", "1");
  EXPECT_EQ(refused_form(good + "------x1--"), "");
  EXPECT_EQ(refused_form(good), "MULTIPART_INVALID");              // no end
  EXPECT_EQ(refused_form("------x1--\r\n"), "MULTIPART_INVALID");  // no file
  EXPECT_EQ(refused_form(""), "MULTIPART_INVALID");
  EXPECT_EQ(refused_form("x" + good + "------x1--"), "MULTIPART_INVALID");
  EXPECT_EQ(refused_form(part("name=\"other\"", "1") + "------x1--"), "MULTIPART_INVALID");
  EXPECT_EQ(refused_form("------x1\r\n\r\n\r\n1\r\n------x1--"), "MULTIPART_INVALID");
  EXPECT_EQ(refused_form("------x1\r\nodd\r\n\r\n1\r\n------x1--"), "MULTIPART_INVALID");
  EXPECT_EQ(refused_form("------x1\r\nA: " + std::string(9000, 'a') + "\r\n\r\n1\r\n------x1--"),
            "MULTIPART_INVALID");
  EXPECT_EQ(refused_form(good + "------x1--", "application/json"), "MULTIPART_INVALID");
  EXPECT_EQ(refused_form(good + "------x1--", "multipart/form-data"), "MULTIPART_INVALID");
  EXPECT_EQ(refused_form(good + "------x1--", "multipart/form-data; boundary="),
            "MULTIPART_INVALID");
  std::string many;
  for (size_t i = 0; i <= kMostFiles; ++i) many += good;
  EXPECT_EQ(refused_form(many + "------x1--"), "MULTIPART_INVALID");
}

}  // namespace
}  // namespace paddock::e2b
