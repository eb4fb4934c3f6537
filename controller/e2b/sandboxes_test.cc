#include "controller/e2b/sandboxes.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::e2b {
namespace {

using contracts::Sandbox;
using wire::Value;

constexpr WallTime kNow{1'700'000'000'000};

class E2bSandboxes : public testing::Test {
 protected:
  Result<Sandbox> made(std::string_view more, std::string_view template_id = "base") {
    const std::string text =
        cat("{\"templateID\": \"", template_id, "\"", more.empty() ? "" : ", ", more, "}");
    return new_session(wire::parse_json(text).value(), {images_, profiles_, ceilings_}, "e2b-x");
  }
  std::string refused(std::string_view more, std::string_view template_id = "base") {
    const auto session = made(more, template_id);
    if (session.ok()) return "";
    const Error& error = session.error();
    return cat(error.reason.text(), " ", error.causes.empty() ? "" : error.causes[0].field);
  }

  agent_sandboxes::Images images_ = {{"python", "session"}};
  contracts::Profiles profiles_ = contracts::builtin_profiles();
  contracts::Ceilings ceilings_;
};

TEST_F(E2bSandboxes, WhatMapsIsASession) {
  const auto session = made(R"("timeout": 600, "envVars": {"A": "b"}, "metadata": {"who": "me"},
      "secure": true, "autoPause": false, "autoResume": {"enabled": false}, "mcp": null)");
  ASSERT_TRUE(session.ok()) << session.error().describe();
  EXPECT_EQ(session->metadata.name, "e2b-x");
  EXPECT_EQ(session->spec.lifetime->value, std::chrono::minutes(10));
  EXPECT_EQ(session->spec.idle_timeout->value, contracts::kLongestLifetime);
  EXPECT_EQ(session->spec.security.env.at("A"), "b");
  EXPECT_EQ(session->spec.security.limits.timeout_ms, 3'600'000);
  EXPECT_FALSE(session->spec.security.network.enabled);
  EXPECT_EQ(metadata_of(*session), (std::map<std::string, std::string>{{"who", "me"}}));
  EXPECT_EQ(template_of(*session), "base");
  EXPECT_EQ(made("")->spec.lifetime->value, kDefaultTimeout);
  EXPECT_EQ(made(R"("timeout": 0)")->spec.lifetime->value, Millis(1'000));
  EXPECT_EQ(template_of(*made("", "python")), "python");
}

TEST_F(E2bSandboxes, ATemplateIsANameInTheOperatorsTable) {
  EXPECT_EQ(refused("", "ubuntu"), "IMAGE_NOT_SERVED templateID");
  EXPECT_EQ(refused("", ""), "INVALID_FIELD templateID");
  images_["base"] = "no-such-profile";
  EXPECT_EQ(refused(""), "IMAGE_NOT_SERVED templateID");
}

TEST_F(E2bSandboxes, ACommandTakesNoLongerThanTheOperatorAllows) {
  ceilings_.limits.wall_time = wire::Duration{std::chrono::minutes(2)};
  ceilings_.limits.stdout_bytes = wire::Quantity{1000};
  const contracts::SessionLimits limits = made("")->spec.security.limits;
  EXPECT_EQ(limits.timeout_ms, 120'000);
  EXPECT_EQ(limits.stdout_bytes, 1000);
  EXPECT_EQ(limits.stderr_bytes, contracts::kMostSessionOutput);
  EXPECT_EQ(limits.command_bytes, contracts::kMostCommandBytes);
  ceilings_.limits.command_bytes = wire::Quantity{500};
  EXPECT_EQ(made("")->spec.security.limits.command_bytes, 500);
}

TEST_F(E2bSandboxes, TheDefaultOfFormerReleasesIsNoWish) {
  const auto forgotten = [](std::string_view text) {
    Value request = wire::parse_json(text).value();
    forget_default_internet(request);
    return wire::to_json(request);
  };
  EXPECT_EQ(forgotten(R"({"allow_internet_access":true,"templateID":"base"})"),
            R"({"templateID":"base"})");
  EXPECT_EQ(forgotten(R"({"allow_internet_access":false})"), R"({"allow_internet_access":false})");
  EXPECT_EQ(forgotten(R"({"allow_internet_access":"yes"})"), R"({"allow_internet_access":"yes"})");
  EXPECT_EQ(forgotten("[]"), "[]");
}

TEST_F(E2bSandboxes, TheNetworkIsAListOfNames) {
  EXPECT_EQ(refused(R"("allow_internet_access": true)"), "E2B_NOT_SERVED allow_internet_access");
  EXPECT_FALSE(made(R"("allow_internet_access": false)")->spec.security.network.enabled);
  const auto named = made(R"("network": {"allowOut": ["example.org"], "denyOut": ["0.0.0.0/0"]})");
  ASSERT_TRUE(named.ok()) << named.error().describe();
  EXPECT_TRUE(named->spec.security.network.enabled);
  EXPECT_EQ(named->spec.security.network.allow_domains, std::vector<std::string>{"example.org"});
  EXPECT_EQ(refused(R"("network": {"allowOut": ["example.org"]})"),
            "E2B_NOT_SERVED network.denyOut");
  EXPECT_EQ(refused(R"("network": {"denyOut": ["1.2.3.4"]})"), "E2B_NOT_SERVED network.denyOut");
  EXPECT_EQ(refused(R"("network": {"denyOut": ["0.0.0.0/0"], "allowPublicTraffic": true})"),
            "E2B_NOT_SERVED network.allowPublicTraffic");
  EXPECT_EQ(refused(R"("network": {"denyOut": [1]})"), "INVALID_FIELD network.denyOut");
}

TEST_F(E2bSandboxes, WhatASessionHasNotIsRefusedByItsField) {
  EXPECT_EQ(refused(R"("autoPause": true)"), "E2B_NOT_SERVED autoPause");
  EXPECT_EQ(refused(R"("autoResume": {"enabled": true})"), "E2B_NOT_SERVED autoResume");
  EXPECT_EQ(refused(R"("mcp": {"x": {"k": "v"}})"), "E2B_NOT_SERVED mcp");
  EXPECT_EQ(refused(R"("iam": {"tokens": {"t": {"audience": "a"}}})"), "E2B_NOT_SERVED iam");
  EXPECT_EQ(refused(R"("volumeMounts": [{"name": "v", "path": "/v"}])"),
            "E2B_NOT_SERVED volumeMounts");
  EXPECT_EQ(refused(R"("something": 1)"), "E2B_NOT_SERVED something");
}

TEST_F(E2bSandboxes, AWrongValueIsRefusedByItsField) {
  EXPECT_EQ(refused(R"("timeout": -1)"), "INVALID_FIELD timeout");
  EXPECT_EQ(refused(R"("timeout": 604801)"), "INVALID_FIELD timeout");
  EXPECT_EQ(refused(R"("timeout": "5")"), "INVALID_FIELD timeout");
  EXPECT_EQ(refused(R"("metadata": ["a"])"), "INVALID_FIELD metadata");
  EXPECT_EQ(refused(R"("metadata": {"a": 1})"), "INVALID_FIELD metadata.a");
  EXPECT_EQ(refused(cat("\"metadata\": {\"a\": \"", std::string(9000, 'x'), "\"}")),
            "INVALID_FIELD metadata");
  EXPECT_EQ(refused(R"("envVars": {"A": null})"), "INVALID_FIELD envVars.A");
}

Sandbox living() {
  Sandbox session;
  session.metadata.name = "e2b-x";
  session.metadata.creation_timestamp = wire::Timestamp{kNow};
  session.spec = contracts::with_session_defaults({});
  session.status.expires_at = wire::Timestamp{kNow + Millis(60'000)};
  return session;
}

TEST_F(E2bSandboxes, ATimeIsCountedFromNow) {
  const Sandbox session = living();
  const WallTime later = kNow + Millis(30'000);
  EXPECT_EQ(*lifetime_until(session, later, Millis(60'000)), Millis(90'000));
  EXPECT_EQ(*lifetime_until(session, kNow, Millis(0)), Millis(1'000));
  EXPECT_EQ(lifetime_until(session, later, contracts::kLongestLifetime).error().causes[0].field,
            "timeout");
}

TEST_F(E2bSandboxes, OneIsShownAsTheirToolsReadIt) {
  Sandbox session = living();
  Value info = sandbox_info(session);
  EXPECT_EQ(info.text("sandboxID"), "e2b-x");
  EXPECT_EQ(info.text("state"), "running");
  EXPECT_EQ(*info.find("memoryMB"), Value(256));
  // The SDK for Python reads no sandbox without each of these.
  for (const char* name : {"clientID", "cpuCount", "diskSizeMB", "endAt", "envdVersion", "memoryMB",
                           "sandboxID", "startedAt", "state", "templateID"})
    EXPECT_NE(info.find(name), nullptr) << name;
  EXPECT_EQ(*info.find("allowInternetAccess"), Value(false));
  EXPECT_EQ(info.text("startedAt"), format_time(kNow, true));
  session.spec.suspended = true;
  session.metadata.annotations[kMetadataNote] = "no json";
  info = sandbox_info(session);
  EXPECT_EQ(info.text("state"), "paused");
  EXPECT_EQ(*info.find("metadata"), Value(Value::Object{}));
  const Value access = sandbox_access(session, "secret");
  EXPECT_EQ(access.text("envdAccessToken"), "secret");
  EXPECT_EQ(access.text("envdVersion"), kEnvdVersion);
}

Result<Filter> filter(std::map<std::string, std::string> query) {
  return filter_of([query](std::string_view name) -> std::optional<std::string> {
    const auto found = query.find(std::string(name));
    return found == query.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST_F(E2bSandboxes, AListIsOfThoseThatFit) {
  Sandbox session = living();
  session.metadata.annotations[kMetadataNote] = R"({"a b": "c&d", "e": "f"})";
  EXPECT_TRUE(fits(session, *filter({})));
  EXPECT_TRUE(fits(session, *filter({{"state", "running,paused"}})));
  EXPECT_FALSE(fits(session, *filter({{"state", "paused"}})));
  EXPECT_TRUE(fits(session, *filter({{"metadata", "a%2520b=c%2526d&e=f"}})));
  EXPECT_FALSE(fits(session, *filter({{"metadata", "e=g"}})));
  EXPECT_FALSE(fits(session, *filter({{"template", "python"}})));
  EXPECT_TRUE(fits(session, *filter({{"startedAfter", format_time(kNow, true)}})));
  EXPECT_FALSE(fits(session, *filter({{"startedAfter", format_time(kNow + Millis(1), true)}})));
  EXPECT_FALSE(filter({{"state", "odd"}}).ok());
  EXPECT_FALSE(filter({{"metadata", "x"}}).ok());
  EXPECT_FALSE(filter({{"metadata", "x=%z"}}).ok());
  EXPECT_FALSE(filter({{"startedAfter", "yesterday"}}).ok());
  EXPECT_EQ(filter({{"order", "asc"}}).error().reason, "E2B_NOT_SERVED");
}

}  // namespace
}  // namespace paddock::e2b
