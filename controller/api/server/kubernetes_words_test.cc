#include "controller/api/server/kubernetes_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;

Request request_by(const std::string& agent, std::vector<std::string> segments = {}) {
  Request out;
  out.headers["user-agent"] = agent;
  out.segments = std::move(segments);
  return out;
}

Error wrong(size_t count) {
  Error out{Code::kInvalidArgument, "INVALID_FIELD", "spec.f0: is wrong (and more)"};
  for (size_t i = 0; i < count; ++i) out.causes.push_back({cat("spec.f", i), "is wrong"});
  return out;
}

constexpr const char* kKubectl = "kubectl/v1.34.1 (linux/amd64) kubernetes/93248f9";

TEST(KubernetesWords, TellAllCausesToWhomTheMessageIsAll) {
  const Error three = in_kubernetes_words(wrong(3), request_by(kKubectl));
  EXPECT_EQ(three.message, "spec.f0: is wrong; spec.f1: is wrong; spec.f2: is wrong");
  EXPECT_EQ(three.causes.size(), 3u);
  EXPECT_THAT(in_kubernetes_words(wrong(40), request_by(kKubectl)).message,
              HasSubstr("spec.f9: is wrong (and 30 more)"));
  EXPECT_EQ(in_kubernetes_words(wrong(3), request_by("paddock/1")).message, wrong(3).message);
  EXPECT_EQ(in_kubernetes_words(wrong(1), request_by(kKubectl)).message, wrong(1).message);
}

TEST(KubernetesWords, NameTheWayThatThereIs) {
  const auto refused = [](std::vector<std::string> path) {
    const Error error{Code::kInvalidArgument, "METHOD_NOT_ALLOWED", "this path takes GET only"};
    return in_kubernetes_words(error, request_by("", std::move(path))).message;
  };
  EXPECT_THAT(refused({"api", "v1", "namespaces"}), HasSubstr("exist by being used"));
  EXPECT_THAT(refused({"api", "v1", "namespaces", "a"}), HasSubstr("goes with its objects"));
  EXPECT_THAT(refused({"api", "v1", "namespaces", "a", "pods"}), HasSubstr("pods show runs"));
  EXPECT_THAT(refused({"api", "v1", "namespaces", "a", "pods", "x"}), HasSubstr("takes GET only"));
  EXPECT_EQ(refused({"api", "v1", "namespaces", "a", "events"}), "this path takes GET only");
  EXPECT_EQ(refused({"openapi", "v2"}), "this path takes GET only");
}

}  // namespace
}  // namespace paddock::api
