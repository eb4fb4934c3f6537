#include "controller/auth/grants.h"

#include <gtest/gtest.h>

namespace paddock::auth {
namespace {

using contracts::AcceleratorKind;
using contracts::Accelerators;
using contracts::Grant;
using contracts::MediaSurface;

Grant grant(const std::string& name) {
  Grant out;
  out.metadata.name = name;
  out.metadata.uid = "uid-of-" + name;
  return out;
}
Grant media_grant(std::vector<MediaSurface> surfaces, std::vector<std::string> models,
                  std::optional<int64_t> count = {}) {
  Grant out = grant("media");
  out.spec.media = contracts::MediaGrant{std::move(surfaces), std::move(models), count};
  return out;
}
ComputeWish devices(AcceleratorKind kind, int64_t count) {
  ComputeWish wish;
  wish.resources.accelerators = Accelerators{kind, count};
  return wish;
}

TEST(Grants, RefuseNothingWhereThereIsNone) {
  EXPECT_TRUE(decide_media({}, MediaSurface::kVideo, "m").decision.allowed);
  EXPECT_TRUE(decide_compute({}, devices(AcceleratorKind::kNvidia, 8), {}).decision.allowed);
}

TEST(Grants, GiveTheMediaThatTheyName) {
  const GrantChains chains = {{media_grant({MediaSurface::kImage}, {"small"}, 2)}};
  EXPECT_TRUE(decide_media(chains, MediaSurface::kImage, "small").decision.allowed);
  EXPECT_EQ(decide_media(chains, MediaSurface::kAudio, "small").decision.reason,
            "MEDIA_SURFACE_DENIED");
  EXPECT_EQ(decide_media(chains, MediaSurface::kImage, "big").decision.reason,
            "MEDIA_MODEL_DENIED");
  GrantChains used = chains;
  used[0][0].status.media_used = 2;
  EXPECT_EQ(decide_media(used, MediaSurface::kImage, "small").decision.reason,
            "MEDIA_COUNT_EXHAUSTED");
  EXPECT_EQ(decide_media({{grant("none")}}, MediaSurface::kImage, "small").decision.reason,
            "MEDIA_EXECUTION_DISABLED");
}

TEST(Grants, GiveAcceleratorsByKindAndNoneUnlessNamed) {
  Grant two = grant("two");
  two.spec.compute = contracts::ComputeGrant{};
  two.spec.compute->accelerators = {Accelerators{AcceleratorKind::kNvidia, 2}};
  const GrantChains chains = {{two}};
  EXPECT_TRUE(decide_compute(chains, devices(AcceleratorKind::kNvidia, 2), {}).decision.allowed);
  for (const ComputeWish& wish :
       {devices(AcceleratorKind::kNvidia, 3), devices(AcceleratorKind::kApple, 1),
        devices(AcceleratorKind::kAny, 1)})
    EXPECT_EQ(decide_compute(chains, wish, {}).decision.reason, "GRANT_DENIED");
  EXPECT_FALSE(
      decide_compute({{grant("none")}}, devices(AcceleratorKind::kNvidia, 1), {}).decision.allowed);
  EXPECT_TRUE(decide_compute({{grant("none")}}, {}, {}).decision.allowed) << "cores need no grant";
}

TEST(Grants, HoldEachCeilingAtItsValueAndEndAtTheDeadline) {
  Grant small = grant("small");
  small.spec.compute = contracts::ComputeGrant{};
  small.spec.compute->cpu = 4;
  small.spec.compute->memory = wire::Quantity{1024};
  small.spec.compute->timeout = wire::Duration{Millis(1000)};
  small.spec.compute->deadline = wire::Timestamp{WallTime{5000}};
  const GrantChains chains = {{small}};
  ComputeWish wish;
  wish.resources.cpu = 4;
  wish.resources.memory = wire::Quantity{1024};
  wish.timeout = wire::Duration{Millis(1000)};
  EXPECT_TRUE(decide_compute(chains, wish, WallTime{4999}).decision.allowed);
  EXPECT_FALSE(decide_compute(chains, wish, WallTime{5000}).decision.allowed);
  ComputeWish more = wish;
  more.resources.cpu = 5;
  more.resources.memory = wire::Quantity{1025};
  more.timeout = wire::Duration{Millis(1001)};
  EXPECT_EQ(denial_of(decide_compute(chains, more, {}).decision).causes.size(), 3u);
  EXPECT_EQ(deadline_of(chains[0])->value.ms, 5000);
}

TEST(Grants, OfAChainGiveWhatEveryLinkGives) {
  const Grant part = media_grant({MediaSurface::kImage}, {});
  const Grant whole = media_grant({MediaSurface::kAudio}, {});
  EXPECT_FALSE(decide_media({{part, whole}}, MediaSurface::kImage, "m").decision.allowed);
  const GrantAnswer either = decide_media({{whole}, {part}}, MediaSurface::kImage, "m");
  EXPECT_TRUE(either.decision.allowed);
  EXPECT_EQ(either.chain, 1u);
}

TEST(Grants, PartsAreNarrowerInEveryField) {
  contracts::GrantSpec whole = media_grant({MediaSurface::kImage}, {"a", "b"}, 5).spec;
  whole.compute = contracts::ComputeGrant{};
  whole.compute->accelerators = {Accelerators{AcceleratorKind::kNvidia, 2}};
  whole.compute->cpu = 8;
  EXPECT_TRUE(wider_fields(whole, whole).empty());
  contracts::GrantSpec part = whole;
  part.media->models = {"a"};
  part.media->count = 1;
  part.compute->accelerators.clear();
  EXPECT_TRUE(wider_fields(part, whole).empty());
  part.media->models.clear();  // all
  part.media->count.reset();
  part.media->surfaces = {MediaSurface::kImage, MediaSurface::kVideo};
  part.compute->accelerators = {Accelerators{AcceleratorKind::kNvidia, 3}};
  part.compute->cpu.reset();
  EXPECT_EQ(wider_fields(part, whole).size(), 5u);
}

TEST(Grants, ACallerNamesItsOwnOrAPartOfOne) {
  const Grant mine = grant("mine");
  EXPECT_TRUE(may_name({{mine}}, {mine}));
  EXPECT_TRUE(may_name({{mine}}, {grant("part"), mine}));
  EXPECT_FALSE(may_name({{mine}}, {grant("other")}));
  EXPECT_TRUE(may_name({}, {grant("other")})) << "who has none is not held to any";
}

}  // namespace
}  // namespace paddock::auth
