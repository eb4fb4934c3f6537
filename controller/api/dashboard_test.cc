// The dashboard's files over the API: types, headers, caching, and that the API is not disturbed.
#include <algorithm>

#include "controller/api/api_test_support.h"
#include "controller/dashboard/files.h"

namespace paddock::api {
namespace {

class Dashboard : public ApiTest {
 protected:
  Answer get(const std::string& target, std::map<std::string, std::string> headers = {}) {
    Request request = request_of("GET", target, "");
    for (auto& [name, value] : headers) request.headers[name] = value;
    return send(request, "");
  }
  static std::string header(const Answer& answer, std::string_view name) {
    const auto& all = answer.response.headers;
    const auto found = std::ranges::find(all, name, [](const auto& each) { return each.first; });
    return found == all.end() ? "" : found->second;
  }
};

TEST_F(Dashboard, IsServedToAnybodyWithAStrictPolicy) {
  for (const char* target : {"/", "/dashboard/app.mjs", "/dashboard/app.css"}) {
    const Answer answer = get(target);
    EXPECT_EQ(answer.status, 200) << target;
    const std::string policy = header(answer, "content-security-policy");
    for (const char* rule :
         {"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
          "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
          "require-trusted-types-for 'script'", "trusted-types 'none'"})
      EXPECT_NE(policy.find(rule), std::string::npos) << rule;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(policy.find('*'), std::string::npos);
    EXPECT_EQ(header(answer, "x-content-type-options"), "nosniff");
    EXPECT_EQ(header(answer, "referrer-policy"), "no-referrer");
    EXPECT_EQ(header(answer, "cross-origin-opener-policy"), "same-origin");
    EXPECT_EQ(header(answer, "cross-origin-resource-policy"), "same-origin");
    EXPECT_EQ(header(answer, "cache-control"), "no-cache");
    EXPECT_EQ(header(answer, "access-control-allow-origin"), "");
  }
  EXPECT_EQ(get("/").response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(get("/dashboard/app.css").response.content_type, "text/css; charset=utf-8");
  EXPECT_EQ(get("/dashboard/app.mjs").response.content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(get("/dashboard/icon.svg").response.content_type, "image/svg+xml");
}

TEST_F(Dashboard, IsNotSentTwice) {
  const Answer first = get("/dashboard/app.mjs");
  const std::string etag = header(first, "etag");
  ASSERT_GT(etag.size(), 60U);
  for (const std::string& known : {etag, "W/" + etag, "\"other\" , " + etag, std::string("*")}) {
    const Answer again = get("/dashboard/app.mjs", {{"if-none-match", known}});
    EXPECT_EQ(again.status, 304) << known;
    EXPECT_TRUE(again.response.body.empty());
    EXPECT_EQ(header(again, "etag"), etag);
    EXPECT_NE(header(again, "content-security-policy"), "");
  }
  for (const std::string known : {"\"other\"", "", "app.mjs"})
    EXPECT_EQ(get("/dashboard/app.mjs", {{"if-none-match", known}}).status, 200) << known;
  EXPECT_NE(header(get("/dashboard/app.css"), "etag"), etag);
}

TEST_F(Dashboard, HasNoOtherFiles) {
  for (const char* name : {"nope.mjs", "..", "index.htm", "app.mjs.map", "files.cc"}) {
    const Answer answer = get(cat("/dashboard/", name));
    EXPECT_EQ(answer.status, 404) << name;
    EXPECT_EQ(answer.reason(), "FILE_NOT_FOUND") << name;
  }
  EXPECT_EQ(get("/dashboard").reason(), "ROUTE_NOT_FOUND");
  EXPECT_EQ(get("/dashboard/app.mjs/x").reason(), "ROUTE_NOT_FOUND");
  EXPECT_EQ(send(request_of("POST", "/", admin_), "{}").reason(), "METHOD_NOT_ALLOWED");
}

TEST_F(Dashboard, DoesNotAnswerClientsOfTheApi) {
  for (const char* accept :
       {"application/json", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
        "application/vnd.kubernetes.protobuf, application/json, */*"}) {
    const Answer answer = get("/", {{"accept", accept}});
    EXPECT_EQ(answer.status, 404) << accept;
    EXPECT_EQ(answer.reason(), "ROUTE_NOT_FOUND") << accept;
    EXPECT_EQ(answer.body.text("kind"), "Status") << accept;
  }
  EXPECT_EQ(get("/", {{"accept", "text/html,application/xhtml+xml,*/*;q=0.8"}}).status, 200);
  EXPECT_EQ(get("/", {{"accept", "*/*"}}).status, 200);
  EXPECT_EQ(header(get("/"), "vary"), "Accept");
}

}  // namespace
}  // namespace paddock::api
