#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/k8s/columns.h"
#include "controller/k8s/discovery.h"
#include "controller/k8s/objects.h"
#include "controller/k8s/selectors.h"
#include "controller/k8s/table.h"

namespace paddock::k8s {
namespace {

constexpr WallTime kNow{1'750'000'000'000};

bool label_match(const char* selector, const Labels& labels) {
  const auto parsed = parse_label_selector(selector);
  EXPECT_TRUE(parsed.ok()) << selector;
  return parsed.ok() && parsed->matches(labels);
}

TEST(Selectors, MatchLabelsAsKubectlMeansThem) {
  const Labels labels = {{"app", "x"}, {"tier", "a"}};
  for (const char* yes :
       {"", "app=x", "app==x", "app!=y", "other!=y", "app in (x,y)", "app in (y, x)",
        "other notin (x)", "app", "!other", "app=x,tier=a", "app in (x,y),tier", "app notin (z)"}) {
    EXPECT_TRUE(label_match(yes, labels)) << yes;
  }
  for (const char* no : {"app=y", "app!=x", "other", "!app", "app in (y)", "app notin (x,y)",
                         "app=x,tier=b", "other in (x)"}) {
    EXPECT_FALSE(label_match(no, labels)) << no;
  }
}

TEST(Selectors, RefuseWhatTheyCannotRead) {
  for (const char* bad :
       {"=x", "a b", "a in x", "a in (x", ",", "a=b,,c", "!", "a$b", "a=b=c", "a==b=c", "a!=b=c",
        "a===b", "a=b c", "a in (b=c)", "a=-b", "a=b.", "a=b/c"}) {
    EXPECT_EQ(parse_label_selector(bad).ok(), false) << bad;
  }
  EXPECT_EQ(parse_field_selector("spec.x=1", {"metadata.name"}).error().reason,
            "FIELD_SELECTOR_UNSUPPORTED");
  EXPECT_FALSE(parse_label_selector("a=" + std::string(64, 'b')).ok());
  EXPECT_TRUE(parse_label_selector("a=" + std::string(63, 'b')).ok());
  EXPECT_TRUE(parse_label_selector("a=,b==c_d.e-f,x in (a,)").ok());
  EXPECT_EQ(parse_field_selector("metadata.name=a=b", {"metadata.name"}).error().causes[0].field,
            "fieldSelector");
  EXPECT_TRUE(parse_field_selector("metadata.name!=a", {"metadata.name"})
                  .value()
                  .matches({{"metadata.name", "b"}}));
}

TEST(Form, IsTheFirstOneThatWeCanServe) {
  EXPECT_EQ(requested_form("application/json;as=Table;v=v1;g=meta.k8s.io,application/"
                           "json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"),
            Form::kTable);
  for (const char* plain :
       {"application/json", "", "*/*", "text/html", "application/json;as=Cake, application/json",
        "application/json, application/json;as=Table;v=v1;g=meta.k8s.io"})
    EXPECT_EQ(requested_form(plain), Form::kObject) << plain;
  EXPECT_EQ(
      requested_form("application/vnd.kubernetes.protobuf;as=Table, application/json;as=Table"),
      Form::kTable);
  EXPECT_EQ(requested_form("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
            Form::kMetadata);
}

TEST(Table, HasOneCellPerColumnForEveryKind) {
  contracts::Run run;
  run.metadata.name = "r1";
  run.metadata.creation_timestamp = wire::Timestamp{WallTime{kNow.ms - 12'000}};
  run.spec.command.argv = {"python3", "s.py"};
  EXPECT_EQ(cells(run, kNow).array()->size(), columns("Run").array()->size());
  EXPECT_EQ((*cells(run, kNow).array())[5], wire::Value("12s"));
  EXPECT_EQ(cells(contracts::Workspace{}, kNow).array()->size(),
            columns("Workspace").array()->size());
  EXPECT_EQ(cells(contracts::Volume{}, kNow).array()->size(), columns("Volume").array()->size());
  EXPECT_EQ(cells(contracts::Node{}, kNow).array()->size(), columns("Node").array()->size());
  EXPECT_EQ(cells(contracts::Grant{}, kNow).array()->size(), columns("Grant").array()->size());
  EXPECT_EQ(cells(contracts::Sandbox{}, kNow).array()->size(), columns("Sandbox").array()->size());
  EXPECT_EQ(cells(contracts::ToolToken{}, kNow).array()->size(),
            columns("ToolToken").array()->size());
  EXPECT_EQ(cells(contracts::Secret{}, kNow).array()->size(), columns("Secret").array()->size());
}

TEST(Table, NamesAllThatKeepsRunsAwayFromANode) {
  const auto status = [](const contracts::Node& node) {
    return *(*cells(node, kNow).array())[1].string();
  };
  contracts::Node node;
  EXPECT_EQ(status(node), "NotReady");
  node.status.ready = true;
  EXPECT_EQ(status(node), "Ready");
  node.spec.unschedulable = true;
  node.spec.drain.emplace();
  node.spec.taints.emplace_back();
  EXPECT_EQ(status(node), "Ready,SchedulingDisabled,Draining,Tainted");
  node = {};
  node.status.reason = contracts::kNodeLost;
  EXPECT_EQ(status(node), "Lost");
}

TEST(Table, CarriesTheMetadataThatKubectlSortsAndLabelsBy) {
  const wire::Value object = wire::encode(contracts::Run{});
  EXPECT_EQ(table_row(wire::Value::Array{}, object, IncludeObject::kMetadata).text("object.kind"),
            "PartialObjectMetadata");
  EXPECT_EQ(table_row(wire::Value::Array{}, object, IncludeObject::kObject).text("object.kind"),
            "Run");
  EXPECT_EQ(table_row(wire::Value::Array{}, object, IncludeObject::kNone).find("object"), nullptr);
}

TEST(List, SaysWhereItGoesOn) {
  const wire::Value meta = list_meta(
      {.resource_version = 7, .continue_token = continue_token({5, "default/r1"}), .remaining = 3});
  EXPECT_EQ(meta.text("resourceVersion"), "7");
  EXPECT_EQ(parse_continue_token(meta.text("continue")).value().after, "default/r1");
  EXPECT_EQ(parse_continue_token(meta.text("continue")).value().resource_version, 5);
  for (const std::string& forged :
       {std::string("!!"), base64("v1:x"), base64("v2:"), base64("v2:-1:a"), base64("v2:x:a"),
        base64("v2:99999999999999999999:a"), base64("v2:1"), base64("v2:1:\xff")})
    EXPECT_EQ(parse_continue_token(forged).error().reason, "CONTINUE_INVALID") << forged;
  EXPECT_EQ(list_meta({.resource_version = 7}).find("continue"), nullptr);
}

TEST(Discovery, AnswersWhatClientsAskFirst) {
  EXPECT_EQ(version().text("minor"), "32");
  EXPECT_FALSE(core_resources().find("resources")->array()->empty());
  EXPECT_NE(wire::to_json(api_groups()).find("paddock.dev/v1alpha1"), std::string::npos);
}

// A kind without columns of its own would be shown in those of a Node; one that api_types.cc does
// not name would be missing in docs/api.md and in both clients.
TEST(OpenApi, HasASchemaATypeAndColumnsOfItsOwnForEachKind) {
  const wire::Value* schemas = openapi_document().at("components.schemas");
  for (const Resource& each : kResources) {
    const wire::Value* schema =
        schemas->find(std::string("dev.paddock.v1alpha1.").append(each.kind));
    ASSERT_NE(schema, nullptr) << each.kind;
    EXPECT_EQ(schema->at("properties.kind")->text("description"), each.kind);
    EXPECT_NE(schemas->find(each.kind), nullptr) << each.kind;
    if (each.kind != contracts::Node::kKind)
      EXPECT_NE(wire::to_json(columns(each.kind)), wire::to_json(columns("Node"))) << each.kind;
  }
}

TEST(OpenApi, LeavesFieldValidationToTheServerForEachKind) {
  const wire::Value& document = openapi_document();
  const std::string text = wire::to_json(document);
  EXPECT_NE(text.find("fieldValidation"), std::string::npos);
  EXPECT_EQ(text.find("strategic-merge-patch"), std::string::npos);
  for (const Resource& each : kResources) {
    const wire::Value* schema = document.at("components.schemas")
                                    ->find(std::string("dev.paddock.v1alpha1.").append(each.kind));
    ASSERT_NE(schema, nullptr) << each.kind;
    EXPECT_EQ(schema->find("x-kubernetes-group-version-kind")->array()->at(0).text("kind"),
              each.kind);
  }
  EXPECT_NE(wire::to_json(openapi_index()).find("/openapi/v3/apis/paddock.dev/v1alpha1?hash="),
            std::string::npos);
}

class NewMetadata : public testing::Test {
 protected:
  std::string reason() const {
    const auto meta = new_metadata(sent_, made_);
    return meta ? "" : meta.error().reason.str();
  }
  contracts::ObjectMeta sent_;
  NewObject made_{"default", "uid-1", "abcde", kNow};
};

TEST_F(NewMetadata, KeepsTheCallersWordsAndDropsWhatTheServerOwns) {
  sent_.name = "r1";
  sent_.uid = "mine";
  sent_.labels = {{"app", "x"}};
  const contracts::ObjectMeta meta = new_metadata(sent_, made_).value();
  EXPECT_EQ(meta.uid, "uid-1");
  EXPECT_EQ(meta.resource_version, "");
  EXPECT_EQ(meta.name_space, "default");
  EXPECT_EQ(meta.generation, 1);
  EXPECT_EQ(meta.labels.at("app"), "x");
}

TEST_F(NewMetadata, MakesANameFromAPrefix) {
  sent_.generate_name = "job-";
  EXPECT_EQ(new_metadata(sent_, made_).value().name, "job-abcde");
  sent_.generate_name = std::string(200, 'a');
  EXPECT_EQ(new_metadata(sent_, made_).value().name.size(), 63u);
}

TEST_F(NewMetadata, RefusesAVersionThatNothingHasYet) {
  sent_.name = "r1";
  sent_.resource_version = "99";
  EXPECT_EQ(reason(), "INVALID_FIELD");
}

TEST_F(NewMetadata, RefusesOddNamesNamespacesAndLabels) {
  EXPECT_EQ(reason(), "NAME_REQUIRED");
  for (const char* bad : {"A", "a_b", "-a", "a-", "../x", "a/b", "a.b", "\xc3\xa9"}) {
    sent_.name = bad;
    EXPECT_EQ(reason(), "NAME_INVALID") << bad;
  }
  sent_.name = "ok";
  sent_.name_space = "other";
  EXPECT_EQ(reason(), "NAMESPACE_MISMATCH");
  sent_.name_space.clear();
  made_.name_space = "Bad";
  EXPECT_EQ(reason(), "NAMESPACE_INVALID");
  made_.name_space = "default";
  sent_.labels = {{"a b", "x"}};
  EXPECT_EQ(reason(), "LABEL_INVALID");
  sent_.labels = {{"a", "x y"}};
  EXPECT_EQ(reason(), "LABEL_INVALID");
  sent_.labels = {{"example.org/a", "x"}};
  EXPECT_EQ(reason(), "");
}

}  // namespace
}  // namespace paddock::k8s
