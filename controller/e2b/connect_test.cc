#include "controller/e2b/connect.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::e2b {
namespace {

using wire::Value;

std::string head(uint8_t flags, uint32_t length) {
  std::string out(1, static_cast<char>(flags));
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(length >> shift);
  return out;
}

std::string refused_message(std::string_view body) {
  const auto read = one_message(body);
  return read.ok() ? "" : read.error().reason.str();
}

TEST(Connect, AnEnvelopeIsReadAndWritten) {
  const Value message = Value::Object{{"process", Value::Object{{"cmd", "ls"}}}};
  const auto read = one_message(envelope(message));
  ASSERT_TRUE(read.ok()) << read.error().describe();
  EXPECT_EQ(*read, message);
  EXPECT_TRUE(one_message(head(0, 0)).ok());  // an empty message
}

TEST(Connect, WhatIsNoSingleEnvelopeIsRefused) {
  EXPECT_EQ(refused_message(""), "ENVELOPE_INVALID");
  EXPECT_EQ(refused_message(head(0, 2).substr(0, 4)), "ENVELOPE_INVALID");
  EXPECT_EQ(refused_message(head(0, 0xffffffff) + "{}"), "ENVELOPE_INVALID");
  EXPECT_EQ(refused_message(head(0, 1) + "{}"), "ENVELOPE_INVALID");
  EXPECT_EQ(refused_message(head(0, 2) + "{}" + head(0, 2) + "{}"), "ENVELOPE_INVALID");
  EXPECT_EQ(refused_message(head(1, 2) + "{}"), "ENVELOPE_INVALID");  // compressed
  EXPECT_EQ(refused_message(head(2, 2) + "{}"), "ENVELOPE_INVALID");  // an end of stream
  EXPECT_EQ(refused_message(head(0x80, 2) + "{}"), "ENVELOPE_INVALID");
  EXPECT_EQ(refused_message(head(0, 2) + "[]"), "ENVELOPE_INVALID");
  EXPECT_EQ(refused_message(head(0, 4) + "{\"\xff}"), "MALFORMED_JSON");
  EXPECT_EQ(refused_message(head(0, 10) + "{\"a\":\"\xc3(\"}"), "MALFORMED_JSON");
  const std::string deep = "{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}";
  EXPECT_EQ(refused_message(head(0, static_cast<uint32_t>(deep.size())) + deep),
            "DOCUMENT_TOO_DEEP");
}

TEST(Connect, AStreamEndsWithAnEnvelopeOfItsOwn) {
  EXPECT_EQ(end_of_stream(), head(2, 2) + "{}");
  const std::string failed =
      end_of_stream(Error{Code::kNotFound, "FILE_NOT_FOUND", "there is no such file"});
  EXPECT_EQ(failed[0], 2);
  const auto body = wire::parse_json(std::string_view(failed).substr(5));
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(body->text("error.code"), "not_found");
  EXPECT_NE(body->text("error.message").find("FILE_NOT_FOUND"), std::string::npos);
}

TEST(Connect, TheEndOfASandboxIsToldByItsOwnCode) {
  const Error gone{Code::kGone, "SESSION_ENDED", "it has ended"};
  const Error missing{Code::kNotFound, "SANDBOX_NOT_FOUND", "there is none"};
  for (const Error& error : {gone, missing}) {
    EXPECT_EQ(error_code(error), "unavailable");
    EXPECT_EQ(error_status(error), 502);
    EXPECT_EQ(plain_error_status(error), 502);
  }
  // What may pass later must not look like that.
  const Error busy{Code::kUnavailable, "NO_NODE", "no node"};
  EXPECT_EQ(error_code(busy), "aborted");
  EXPECT_EQ(plain_error_status(busy), 503);
  EXPECT_EQ(error_code({Code::kFailedPrecondition, "E2B_NOT_SERVED", ""}), "unimplemented");
  EXPECT_EQ(error_code({Code::kResourceExhausted, "TOO_MANY_COMMANDS", ""}), "resource_exhausted");
  EXPECT_EQ(error_code({Code::kDeadlineExceeded, "COMMAND_TIMEOUT", ""}), "deadline_exceeded");
  EXPECT_EQ(plain_error_status({Code::kTooLarge, "E_LIMIT_FS", ""}), 507);
  EXPECT_EQ(plain_error_status({Code::kNotFound, "FILE_NOT_FOUND", ""}), 404);
}

TEST(Connect, ATimeIsMilliseconds) {
  EXPECT_EQ(*timeout_ms("60000"), 60'000);
  EXPECT_EQ(*timeout_ms(""), std::nullopt);
  EXPECT_EQ(*timeout_ms("0"), std::nullopt);
  for (const char* odd : {"-1", "1s", "99999999999", " 1", "1e3"})
    EXPECT_FALSE(timeout_ms(odd).ok()) << odd;
}

}  // namespace
}  // namespace paddock::e2b
