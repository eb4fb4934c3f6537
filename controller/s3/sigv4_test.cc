// The examples that AWS published for Signature Version 4 and for S3.
#include "controller/s3/sigv4.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/crypto/digest.h"

namespace paddock::s3 {
namespace {

const std::string kEmpty = crypto::sha256_hex("");

std::string signature(const ToSign& request, const Credentials& credentials, const Scope& scope,
                      std::string_view time) {
  const std::string all = authorization(request, credentials, scope, *parse_time(time));
  return all.substr(all.rfind('=') + 1);
}

ToSign suite_request(std::map<std::string, std::string> query) {
  return {"GET",
          "/",
          std::move(query),
          {{"host", "example.amazonaws.com"}, {"x-amz-date", "20150830T123600Z"}},
          kEmpty};
}

std::string suite(const ToSign& request) {
  return signature(request, {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""},
                   {"us-east-1", "service"}, "2015-08-30T12:36:00Z");
}

ToSign s3_request(const std::string& method, const std::string& path,
                  std::map<std::string, std::string> query = {}) {
  return {method,
          path,
          std::move(query),
          {{"host", "examplebucket.s3.amazonaws.com"},
           {"x-amz-content-sha256", kEmpty},
           {"x-amz-date", "20130524T000000Z"}},
          kEmpty};
}

std::string s3(const ToSign& request) {
  return signature(request,
                   {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""},
                   {"us-east-1"}, "2013-05-24T00:00:00Z");
}

TEST(SigV4, SignsAPlainRequestAsTheSuiteDoes) {
  EXPECT_EQ(suite(suite_request({})),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
}

TEST(SigV4, SortsTheQuery) {
  EXPECT_EQ(suite(suite_request({{"Param2", "value2"}, {"Param1", "value1"}})),
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
}

TEST(SigV4, SignsARangeOfAnObject) {
  ToSign request = s3_request("GET", "/test.txt");
  request.headers["range"] = "bytes=0-9";
  EXPECT_EQ(s3(request), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(SigV4, SignsAnObjectWithItsDigest) {
  ToSign request = s3_request("PUT", "/test%24file.text");
  request.payload_sha256 = crypto::sha256_hex("Welcome to Amazon S3.");
  request.headers["x-amz-content-sha256"] = request.payload_sha256;
  request.headers["x-amz-storage-class"] = "REDUCED_REDUNDANCY";
  request.headers["date"] = "Fri, 24 May 2013 00:00:00 GMT";
  EXPECT_EQ(s3(request), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(SigV4, SignsAParameterWithoutValue) {
  EXPECT_EQ(s3(s3_request("GET", "/", {{"lifecycle", ""}})),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(SigV4, SignsAListing) {
  EXPECT_EQ(s3(s3_request("GET", "/", {{"prefix", "J"}, {"max-keys", "2"}})),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(SigV4, EncodesAQueryOnceAndSortsItEncoded) {
  EXPECT_EQ(canonical_query({{"prefix", "a/b c+"}, {"uploads", ""}, {"a", "~"}}),
            "a=~&prefix=a%2Fb%20c%2B&uploads=");
}

TEST(SigV4, TheSecretIsNowhereInTheHeader) {
  const std::string header =
      authorization(s3_request("GET", "/"), {"id", "very secret", ""}, {"us-east-1"}, {});
  EXPECT_EQ(header.find("very secret"), std::string::npos);
}

}  // namespace
}  // namespace paddock::s3
