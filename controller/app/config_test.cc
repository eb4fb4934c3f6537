#include "controller/app/config.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/yaml.h"
#include "controller/app/flags.h"
#include "tests/support/settings_golden.h"

namespace paddock::app {
namespace {

using testing::HasSubstr;

std::string example() {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  return os::read_file(std::string(source == nullptr ? "." : source) +
                       "/packaging/controller.example.yaml")
      .value();
}

TEST(Config, ExampleFileEqualsTheDefaultsAndDocumentsEveryKey) {
  const Config config = load_config(example(), {}).value();
  EXPECT_EQ(wire::to_yaml(wire::encode(config)), wire::to_yaml(wire::encode(Config{})));
  for (const auto& [variable, path] : config_variables()) {
    const std::string key = path.substr(path.rfind('.') + 1) + ":";
    EXPECT_NE(example().find(key), std::string::npos) << path;
  }
}

TEST(Config, SettingsAreThoseOfTheGoldenFile) {
  test::expect_golden_settings("paddock-controller", config_variables(), wire::schema<Config>(),
                               wire::encode(Config{}));
}

TEST(Config, NothingAtAllGivesTheDefaults) {
  EXPECT_EQ(wire::to_yaml(wire::encode(load_config("", {}).value())),
            wire::to_yaml(wire::encode(Config{})));
  EXPECT_EQ(load_config("# only words\n", {}).ok(), true);
}

TEST(Config, VariablesWinOverTheFile) {
  const Config config = load_config("port: 1\nlogLevel: warn\n",
                                    {{"PADDOCK_CONTROLLER_PORT", "9443"},
                                     {"PADDOCK_CONTROLLER_BLOBS_MAX_BLOB", "1Gi"},
                                     {"PADDOCK_CONTROLLER_ALLOWED_HOSTS", "[a.example, b.example]"},
                                     {"PADDOCK_INSTANCE", "x"}})
                            .value();
  EXPECT_EQ(config.port, 9443);
  EXPECT_EQ(config.log_level, "warn");
  EXPECT_EQ(config.blobs.max_blob.bytes, 1 << 30);
  EXPECT_EQ(config.allowed_hosts.size(), 2u);
}

// proves partly: ELV-78
TEST(Config, TheLogLevelIsAVariableAndAnUnknownOneIsRefused) {
  const auto level = [](const char* text) {
    return load_config("", {{"PADDOCK_CONTROLLER_LOG_LEVEL", text}});
  };
  EXPECT_EQ(load_config("", {}).value().log_level, "info");
  for (const char* known : {"debug", "info", "warn", "error"})
    EXPECT_EQ(level(known).value().log_level, known);
  EXPECT_EQ(level("loud").error().causes.at(0).field, "PADDOCK_CONTROLLER_LOG_LEVEL: logLevel");
}

TEST(Config, AFaultIsNamedByTheLineTheVariableOrTheFlagThatHasIt) {
  const Flags flags = parse_flags({"--config", "c.yaml", "--port", "many"}).value();
  std::map<std::string, std::string> variables = flags.overrides;
  variables["PADDOCK_CONTROLLER_TLS_CERT_FILE"] = "/x";
  const auto config = load_config("# c\nport: 1\nexecute:\n  port: many\nnope: 1\n", variables,
                                  {flags.config_file, flags.names});
  ASSERT_FALSE(config.ok());
  std::string told;
  for (const Cause& each : config.error().causes) told += each.field + "\n";
  EXPECT_EQ(told, "c.yaml:5: nope\n--port: port\nc.yaml:4: execute.port\n");
  EXPECT_TRUE(
      config.error().describe().starts_with("c.yaml:5: nope: unknown field; did you mean `nodes`?; "
                                            "--port: port: "))
      << config.error().describe();
  const auto variables_of_none = load_config(
      "", {{"PADDOCK_CONTROLLER_PROT", "1"}, {"PADDOCK_CONTROLLER_ZEBRA", "1"}, {"HOME", "/"}});
  EXPECT_EQ(variables_of_none.error().describe(),
            "PADDOCK_CONTROLLER_PROT: names no configuration key; did you mean "
            "`PADDOCK_CONTROLLER_PORT`?; PADDOCK_CONTROLLER_ZEBRA: names no "
            "configuration key");
  const auto halves =
      load_config("port: 1\n", {{"PADDOCK_CONTROLLER_TLS_CERT_FILE", "/x"}}, {.file = "c.yaml"});
  EXPECT_TRUE(halves.error().message.starts_with("PADDOCK_CONTROLLER_TLS_CERT_FILE: tls: "))
      << halves.error().message;
  EXPECT_TRUE(load_config("a: [", {}, {.file = "c.yaml"}).error().message.starts_with("c.yaml: "));
}

TEST(Config, ANullIsTheDefaultAndNeverLessProtection) {
  EXPECT_EQ(load_config("port:\nlogLevel: null\ntls: {certFile: }\n", {}).value().port, 8443);
  EXPECT_FALSE(load_config("sandboxMode: true\ndataDir: null\n", {}).ok());
  const auto config = load_config(
      "port: many\nceilings:\n  limits:\n    memory: null\n    wallTime:\nscheduling:\n"
      "  quotas: {a: {runs: null}}\n",
      {{"PADDOCK_CONTROLLER_CEILINGS_LIMITS_PIDS", ""}}, {.file = "c.yaml"});
  ASSERT_FALSE(config.ok());
  std::string told;
  for (const Cause& each : config.error().causes) told += each.field + "\n";
  EXPECT_EQ(told,
            "c.yaml:1: port\nc.yaml:4: ceilings.limits.memory\n"
            "c.yaml:5: ceilings.limits.wallTime\n"
            "PADDOCK_CONTROLLER_CEILINGS_LIMITS_PIDS: ceilings.limits.pids\n"
            "c.yaml:7: scheduling.quotas.a.runs\n");
  EXPECT_FALSE(load_config("ceilings: null\n", {}).ok());
  EXPECT_TRUE(load_config("ceilings: {limits: {}, hostMounts: []}\n", {}).ok());
}

TEST(Config, AllFaultsOfTheFileAndOfVariablesAreNamedAtOnce) {
  const auto fields = [](const char* yaml, std::map<std::string, std::string> variables) {
    const auto config = load_config(yaml, std::move(variables), {.file = "c.yaml"});
    std::vector<std::string> told;
    if (config.ok()) return told;
    EXPECT_EQ(config.error().reason, "CONFIG_INVALID");
    EXPECT_EQ(config.error().describe().find(" more)"), std::string::npos) << "all are told";
    EXPECT_TRUE(config.error().message.ends_with(" more)")) << config.error().message;
    for (const Cause& each : config.error().causes) told.push_back(each.field);
    return told;
  };
  EXPECT_EQ(
      fields("nope: 1\nport: many\n", {{"PADDOCK_CONTROLLER_PROT", "1"}}),
      (std::vector<std::string>{"c.yaml:1: nope", "c.yaml:2: port", "PADDOCK_CONTROLLER_PROT"}));
  EXPECT_EQ(fields("port: 1\n", {{"PADDOCK_CONTROLLER_PROT", "1"},
                                 {"PADDOCK_CONTROLLER_HOST", "[a"},
                                 {"PADDOCK_CONTROLLER_ZEBRA", "1"}})
                .size(),
            3U);
  const auto broken = load_config("a: [", {{"PADDOCK_CONTROLLER_PROT", "1"}}, {.file = "c.yaml"});
  EXPECT_TRUE(broken.error().describe().starts_with("c.yaml: ")) << broken.error().describe();
  EXPECT_TRUE(broken.error().describe().ends_with(
      "; PADDOCK_CONTROLLER_PROT: names no configuration key; did you mean "
      "`PADDOCK_CONTROLLER_PORT`?"))
      << broken.error().describe();
}

TEST(Config, ADatabaseIsNamedByAFileAndItsLeaseIsBounded) {
  const auto field = [](const std::string& yaml) {
    const auto config = load_config("store:\n  postgres: " + yaml, {});
    return config.ok() ? "" : config.error().causes.at(0).field;
  };
  EXPECT_EQ(field("{urlFile: /etc/paddock/store-url, lease: 2s}"), "");
  EXPECT_EQ(field("{urlFile: store-url}"), "store.postgres.urlFile");
  EXPECT_EQ(field("{lease: 1s}"), "store.postgres.lease");
  EXPECT_EQ(field("{lease: 6m}"), "store.postgres.lease");
  EXPECT_EQ(field("{maxReaders: 0}"), "store.postgres.maxReaders");
  EXPECT_EQ(field("{advertisedUrl: 'https://a.example:8443'}"), "");
  EXPECT_EQ(field("{advertisedUrl: a.example}"), "store.postgres.advertisedUrl");
  EXPECT_EQ(field("{advertisedUrl: 'https://a b'}"), "store.postgres.advertisedUrl");
}

TEST(Config, TheTokenForAnyNodeCanBeLeftOut) {
  EXPECT_TRUE(load_config("", {}).value().enroll_token);
  EXPECT_FALSE(load_config("enrollToken: false\n", {}).value().enroll_token);
  EXPECT_FALSE(
      load_config("", {{"PADDOCK_CONTROLLER_ENROLL_TOKEN", "false"}}).value().enroll_token);
  EXPECT_EQ(load_config("enrollToken: perhaps\n", {}).error().causes.at(0).field, "enrollToken");
}

TEST(Config, NamesTheKeyThatIsWrong) {
  const auto field = [](const char* yaml) {
    const auto config = load_config(yaml, {});
    EXPECT_FALSE(config.ok()) << yaml;
    EXPECT_EQ(config.error().reason, "CONFIG_INVALID");
    return config.error().causes.empty() ? "" : config.error().causes[0].field;
  };
  EXPECT_EQ(field("prot: 1"), "prot");
  EXPECT_EQ(field("port: 70000"), "port");
  EXPECT_EQ(field("port: many"), "port");
  EXPECT_EQ(field("execute: {port: many}"), "execute.port");
  EXPECT_EQ(field("ceilings: {limits: {wallTime: 5}}"), "ceilings.limits.wallTime");
  EXPECT_EQ(field("tls: {certFile: /x}"), "tls");
  EXPECT_EQ(field("logLevel: loud"), "logLevel");
  EXPECT_EQ(field("dataDir: here"), "dataDir");
  EXPECT_FALSE(load_config("a: [", {}).ok());
  EXPECT_FALSE(load_config("", {{"PADDOCK_CONTROLLER_PROT", "1"}}).ok());
}

TEST(Config, OriginsAreThoseThatBrowsersSend) {
  const auto config = [](const std::string& origin) {
    return load_config(cat("allowedOrigins: ['", origin, "']"), {});
  };
  for (const char* good : {"https://app.example", "https://app.example:8443", "https://10.0.0.1",
                           "http://localhost:5173", "http://127.0.0.1", "http://[::1]:3000"})
    EXPECT_TRUE(config(good).ok()) << good;
  for (const char* bad : {"*", "", "null", "app.example", "https://", "https://App.example",
                          "https://app.example/", "https://app.example:443", "http://app.example",
                          "http://localhost:80", "https://*.example", "https://a@b", "file://x"}) {
    ASSERT_FALSE(config(bad).ok()) << bad;
    EXPECT_EQ(config(bad).error().causes.at(0).field, "allowedOrigins[0]") << bad;
  }
}

TEST(Flags, AreReadInBothForms) {
  const Flags flags =
      parse_flags({"--config", "f", "--port=1", "--data-dir", "/d", "--plain-http"}).value();
  EXPECT_EQ(flags.config_file, "f");
  EXPECT_EQ(flags.overrides.at("PADDOCK_CONTROLLER_PORT"), "1");
  const Config config = load_config("", flags.overrides).value();
  EXPECT_EQ(config.data_dir, "/d");
  EXPECT_TRUE(config.plain_http);
  EXPECT_FALSE(parse_flags({"--nope"}).ok());
  EXPECT_FALSE(parse_flags({"--port"}).ok());
  EXPECT_EQ(parse_flags({"--check=json"})->check, Flags::Check::kJson);
  EXPECT_TRUE(parse_flags({"-h"})->help);
}

TEST(Flags, SayWhichWasMeant) {
  EXPECT_THAT(parse_flags({"--prot", "1"}).error().message, HasSubstr("did you mean `--port`?"));
  EXPECT_THAT(parse_flags({"--plain-htpt"}).error().message,
              HasSubstr("did you mean `--plain-http`?"));
}

TEST(Flags, AreAllInTheUsage) {
  for (const char* flag : {"[--config FILE]", "[--data-dir DIR]", "[--host ADDRESS]", "[--port N]",
                           "[--unix-socket FILE]", "[--plain-http]", "[--restore FILE]",
                           "[--migrate-store postgres|sqlite]", "[--check[=json]]",
                           "[--make-shared-files DIR]", "[--version]", "[--help]"})
    EXPECT_THAT(usage(), HasSubstr(flag));
}

TEST(Flags, AMoveNamesWhereTo) {
  EXPECT_FALSE(parse_flags({}).value().migrate_store);
  EXPECT_EQ(parse_flags({"--migrate-store", "postgres"}).value().migrate_store,
            store::MoveTo::kPostgres);
  EXPECT_EQ(parse_flags({"--migrate-store=sqlite"}).value().migrate_store, store::MoveTo::kSqlite);
  for (const auto& bad :
       {std::vector<std::string>{"--migrate-store"}, {"--migrate-store", "mysql"}})
    EXPECT_EQ(parse_flags(bad).error().reason, "FLAG_INVALID");
}

}  // namespace
}  // namespace paddock::app
