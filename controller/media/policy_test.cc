#include "controller/media/policy.h"

#include <gtest/gtest.h>

#include "common/wire/describe.h"
#include "common/wire/json.h"
#include "controller/auth/denial_codes.h"
#include "controller/media/internal/http_provider.h"

namespace paddock::media {
namespace {

using contracts::MediaExecution;
using contracts::MediaRequest;
using contracts::MediaSurface;

Result<MediaExecution> parse(const std::string& text) {
  return wire::decode<MediaExecution>(wire::parse_json(text).value());
}
MediaRequest request(MediaSurface surface, const std::string& model) {
  MediaRequest out;
  out.surface = surface;
  out.model = model;
  return out;
}

// proves: OD-20, OD-83
TEST(MediaProvider, IsMadeByTheOneDoorOnly) {
  // A friend can, and nobody else: this would not compile otherwise.
  static_assert(!std::is_constructible_v<internal::HttpProvider, std::string, Millis>);
}

// proves: OD-23, OD-62
TEST(MediaPolicy, TrimsModelsAndKeepsEachOnce) {
  const auto policy = parse(
      R"({"mode":"enabled","allowedSurfaces":["image","image"],"allowedModels":[" a ","b","a"]})");
  ASSERT_TRUE(policy.ok()) << policy.error().describe();
  EXPECT_EQ(wire::to_json(policy->encode_value()),
            R"({"mode":"enabled","allowedSurfaces":["image"],"allowedModels":["a","b"]})");
}

// proves: OD-23, OD-62
TEST(MediaPolicy, RefusesWhatIsNotOneInTheContractsWords) {
  const auto words = [](const std::string& text) {
    const auto policy = parse(text);
    return policy.ok() ? "accepted" : policy.error().causes.at(0).message;
  };
  EXPECT_EQ(words("[]"), "mediaExecution must be an object when provided");
  EXPECT_EQ(words("{}"), "mediaExecution.mode must be enabled or disabled");
  EXPECT_EQ(words(R"({"mode":"question"})"), "mediaExecution.mode must be enabled or disabled");
  EXPECT_EQ(words(R"({"mode":"enabled","allowedSurfaces":"image"})"),
            "mediaExecution.allowedSurfaces must be an array");
  EXPECT_EQ(words(R"({"mode":"enabled","allowedSurfaces":["text"]})"),
            "mediaExecution.allowedSurfaces may only include image, video, or audio");
  EXPECT_EQ(words(R"({"mode":"enabled","allowedModels":{}})"),
            "mediaExecution.allowedModels must be an array");
  EXPECT_EQ(words(R"({"mode":"enabled","allowedModels":[" "]})"),
            "mediaExecution.allowedModels must contain non-empty strings");
}

// proves: OD-24, OD-25, OD-26
TEST(MediaPolicy, DeniesWithStableCodesAndWords) {
  MediaExecution policy = contracts::default_media_execution();
  EXPECT_TRUE(check_policy(policy, request(MediaSurface::kVideo, "x")).ok())
      << "empty lists restrict nothing";
  policy.allowed_surfaces = {MediaSurface::kAudio};
  policy.allowed_models = {"y"};
  const Error surface = check_policy(policy, request(MediaSurface::kImage, "y")).error();
  EXPECT_EQ(surface.reason, auth::kMediaSurfaceDenied);
  EXPECT_NE(surface.message.find("image"), std::string::npos);
  const Error model = check_policy(policy, request(MediaSurface::kAudio, "x")).error();
  EXPECT_EQ(model.reason, auth::kMediaModelDenied);
  EXPECT_NE(model.message.find("\"x\""), std::string::npos);
  policy.mode = contracts::MediaMode::kDisabled;
  const Error disabled = check_policy(policy, request(MediaSurface::kAudio, "y")).error();
  EXPECT_EQ(disabled.reason, auth::kMediaExecutionDisabled);
  EXPECT_EQ(disabled.code, Code::kPermissionDenied);
}

}  // namespace
}  // namespace paddock::media
