#include <gtest/gtest.h>

#include "common/wire/json.h"
#include "controller/k8s/discovery.h"
#include "controller/k8s/protobuf.h"

namespace paddock::k8s {
namespace {

// The fields with this number of a message.
std::vector<std::string_view> fields(std::string_view message, uint64_t number) {
  std::vector<std::string_view> out;
  ProtoReader reader(message);
  while (true) {
    const auto field = reader.next();
    EXPECT_TRUE(field.ok());
    if (!field.ok() || !field->has_value()) return out;
    if ((*field)->number == number) out.push_back((*field)->bytes);
  }
}

TEST(OpenApi, DescribesEveryFieldOfEveryKind) {
  const wire::Value& document = openapi_document();
  const wire::Value* run =
      document.find("components")->find("schemas")->find("dev.paddock.v1alpha1.Run");
  ASSERT_NE(run, nullptr);
  EXPECT_NE(run->text("description"), "");
  EXPECT_NE(run->at("properties.spec.properties.sandbox.properties.network"), nullptr);
  EXPECT_NE(run->at("properties.metadata.properties.labels"), nullptr);
  EXPECT_EQ(run->at("properties.spec.properties.priority")->text("description"),
            "higher goes first");
}

TEST(OpenApi, DescribesTheKindsOfAgentSandboxInTheirOwnDocuments) {
  const wire::Value& sandbox = *openapi_document(contracts::kAgentsGroup)
                                    .find("components")
                                    ->find("schemas")
                                    ->find("io.x-k8s.agents.v1beta1.Sandbox");
  EXPECT_NE(sandbox.at("properties.spec.properties.operatingMode"), nullptr);
  EXPECT_EQ(sandbox.at("properties.spec.properties.volumeClaimTemplates"), nullptr);
  EXPECT_NE(openapi_index().find("paths")->find("apis/agents.x-k8s.io/v1beta1"), nullptr);
  EXPECT_NE(openapi_document(contracts::kAgentExtensionsGroup)
                .find("components")
                ->find("schemas")
                ->find("io.x-k8s.agents.extensions.v1beta1.SandboxClaim"),
            nullptr);
}

TEST(OpenApi, SaysTheSameToOldClientsInProtobuf) {
  const std::string& document = openapi_v2_document();
  EXPECT_EQ(fields(document, 1).at(0), "2.0");
  const auto paths = fields(fields(document, 8).at(0), 2);
  ASSERT_EQ(paths.size(), 12u);
  EXPECT_EQ(fields(paths[0], 1).at(0),
            "/apis/paddock.dev/v1alpha1/namespaces/{namespace}/runs/{name}");
  const auto definitions = fields(fields(document, 9).at(0), 1);
  ASSERT_EQ(definitions.size(), 12u);
  EXPECT_EQ(fields(definitions[0], 1).at(0), "dev.paddock.v1alpha1.Run");
  EXPECT_NE(document.find(R"([{"group":"paddock.dev","version":"v1alpha1","kind":"Run"}])"),
            std::string::npos);
}

TEST(Protobuf, RefusesWhatIsTorn) {
  using namespace std::string_literals;
  for (const std::string& torn :
       {"\x80"s, "\x0a\x05xx"s, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, "\x07"s,
        "\x09\x01"s, "\x0d"s, "\x00"s, "\x0b"s}) {
    ProtoReader reader(torn);
    EXPECT_FALSE(reader.next().ok());
  }
  EXPECT_EQ(decode_review("{}").error().reason, "MALFORMED_PROTOBUF");
  const std::string secret = "k8s\0\x0a\x0a\x0a\x00\x12\x06Secret"s;
  EXPECT_EQ(decode_review(secret).error().reason, "MEDIA_TYPE_UNSUPPORTED");
}

}  // namespace
}  // namespace paddock::k8s
