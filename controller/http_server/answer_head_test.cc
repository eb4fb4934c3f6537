#include "controller/http_server/answer_head.h"

#include <gmock/gmock.h>

namespace paddock::http_server {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string head_of(const Response& response, bool close = false) {
  return answer_head(response, body_form(response), close, "");
}

Response streamed() {
  Response out;
  out.stream = [](ResponseStream&) {};
  return out;
}

TEST(AnswerHead, SaysWhatTheBodyIsAndWhereItEnds) {
  Response response;
  response.status = 201;
  response.body = "{}";
  EXPECT_EQ(
      head_of(response),
      "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
      "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nContent-Length: 2\r\n\r\n");
}

TEST(AnswerHead, AnEmptyBodyHasALengthAndNoType) {
  EXPECT_THAT(head_of({}), HasSubstr("\r\nContent-Length: 0\r\n"));
  EXPECT_THAT(head_of({}), Not(HasSubstr("Content-Type:")));
}

TEST(AnswerHead, NothingFollows204And304) {
  for (const int status : {204, 304}) {
    Response response;
    response.status = status;
    response.body = "never sent";
    EXPECT_EQ(body_form(response).framing, Framing::kNone);
    EXPECT_THAT(head_of(response), Not(HasSubstr("Content-Length")));
  }
}

TEST(AnswerHead, AStreamIsChunkedUnlessItsLengthIsAnnounced) {
  Response response = streamed();
  EXPECT_THAT(head_of(response), HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
  response.headers = {{"Content-Length", "7"}};
  EXPECT_EQ(body_form(response).length, 7u);
  EXPECT_THAT(head_of(response), HasSubstr("\r\nContent-Length: 7\r\n"));
  EXPECT_THAT(head_of(response), Not(HasSubstr("chunked")));
  response.headers = {{"Content-Length", "-7"}};
  EXPECT_EQ(body_form(response).framing, Framing::kChunked);
}

// What would let a handler's data split one answer into two.
TEST(AnswerHead, WhatAHandlerSaysOfFramingOrCannotBeSentIsLeftOut) {
  Response response;
  response.body = "12345";
  response.headers = {{"Content-Length", "3"}, {"transfer-encoding", "chunked"},
                      {"Connection", "x"},     {"X-Split", "a\r\nX-Evil: 1"},
                      {"X Bad", "1"},          {"X-Fine", "\xC3\xA9"}};
  const std::string head = head_of(response);
  EXPECT_THAT(head, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(head, HasSubstr("X-Fine: \xC3\xA9\r\n"));
  for (const char* absent : {": 3", "chunked", "Connection", "Split", "Evil", "X Bad"})
    EXPECT_THAT(head, Not(HasSubstr(absent)));
  response.content_type = "text/plain\r\nX-Evil: 1";
  EXPECT_THAT(head_of(response), Not(HasSubstr("Evil")));
}

TEST(AnswerHead, AHandlersOwnPolicyReplacesTheUsualOne) {
  Response response;
  response.headers = {{"cache-control", "max-age=5"}, {"X-Content-Type-Options", "nosniff"}};
  const std::string head = head_of(response, true);
  EXPECT_THAT(head, Not(HasSubstr("no-store")));
  EXPECT_EQ(head.find("nosniff"), head.rfind("nosniff"));
  EXPECT_THAT(head, HasSubstr("\r\nConnection: close\r\n"));
}

TEST(AnswerHead, AStatusWithoutAPhraseIsStillAStatusLine) {
  Response response;
  response.status = 299;
  EXPECT_TRUE(head_of(response).starts_with("HTTP/1.1 299 \r\n"));
}

}  // namespace
}  // namespace paddock::http_server
