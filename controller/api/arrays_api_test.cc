#include "controller/api/api_test_support.h"
#include "controller/runs/arrays.h"

namespace paddock::api {
namespace {

class Arrays : public ApiTest {
 protected:
  static std::string text(const std::string& name, const std::string& array,
                          const std::string& more = {}, const std::string& meta = {}) {
    return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")", name,
               R"(")", meta, R"(},"spec":{"type":"command","command":["true"],"array":)", array,
               more, "}}");
  }
  // The first field that an answer names.
  static std::string field(const Answer& answer) {
    const wire::Value* causes = answer.body.at("error.details.causes");
    return causes == nullptr ? "" : causes->array()->at(0).text("field");
  }
  void store_element(int64_t index) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const contracts::Run array,
                                       txn.get<contracts::Run>({"default", "sweep"}));
                      contracts::Run run = runs::make_element(array, index, WallTime{1});
                      return store::create_run(txn, run, runs::admit(run, WallTime{1}));
                    })
                    .ok());
  }
};

TEST_F(Arrays, AreOneRunOfAnySizeUpToTheLimit) {
  const Answer made = call("POST", kRuns, text("sweep", R"({"count":10000,"maxParallel":8})"));
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(*made.body.at("status.array.pending")->integer(), 10'000);
  EXPECT_EQ(made.body.text("status.phase"), "Pending");
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 1u);
}

// Elements have the first digits of their array's uid, so these are random and say no time.
TEST_F(Arrays, HaveUidsThatNoOtherArrayOfTheSameMomentComesNear) {
  constexpr size_t kVersionAt = 14;
  const std::string array =
      call("POST", kRuns, text("sweep", R"({"count":2})")).body.text("metadata.uid");
  ASSERT_EQ(array.size(), 36u);
  EXPECT_EQ(array[kVersionAt], '4');
  const std::string lone = call("POST", kRuns,
                                cat(R"({"metadata":{"name":"lone"},"spec":)",
                                    R"({"type":"command","command":["true"]}})"))
                               .body.text("metadata.uid");
  ASSERT_EQ(lone.size(), 36u);
  EXPECT_EQ(lone[kVersionAt], '7');
}

TEST_F(Arrays, AreRefusedByTheFieldThatIsWrong) {
  struct Bad {
    const char* array;
    const char* more;
    const char* reason;
    const char* field;
  };
  const Bad cases[] = {
      {R"({"count":0})", "", "INVALID_FIELD", "spec.array.count"},
      {R"({"count":10001})", "", "INVALID_FIELD", "spec.array.count"},
      {R"({})", "", "INVALID_FIELD", "spec.array.count"},
      {R"({"count":2,"maxParallel":0})", "", "INVALID_FIELD", "spec.array.maxParallel"},
      {R"({"count":2,"maxParallel":1001})", "", "INVALID_FIELD", "spec.array.maxParallel"},
      {R"({"count":2,"maxFailedIndexes":-1})", "", "INVALID_FIELD", "spec.array.maxFailedIndexes"},
      {R"({"count":2,"many":1})", "", "UNKNOWN_FIELD", "spec.array.many"},
      {R"({"count":2})", R"(,"publish":"v","artifacts":{"dirs":["out"]})", "ARRAY_NOT_SUPPORTED",
       "spec.publish"},
      {R"({"count":2})", R"(,"toolToken":{"operations":["media:generate"]})", "ARRAY_NOT_SUPPORTED",
       "spec.toolToken"},
      {R"({"count":2})", R"(,"sandbox":{"env":{"PADDOCK_ARRAY_INDEX":"7"}})", "INVALID_FIELD",
       "spec.sandbox.env.PADDOCK_ARRAY_INDEX"}};
  for (const Bad& each : cases) {
    const Answer answer = call("POST", kRuns, text("bad", each.array, each.more));
    EXPECT_EQ(answer.reason(), each.reason) << answer.text;
    EXPECT_EQ(field(answer), each.field) << answer.text;
  }
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 0u);
}

TEST_F(Arrays, HaveNamesAndLabelsThatFitTheirElements) {
  const Answer longest = call("POST", kRuns, text(std::string(60, 'a'), R"({"count":100})"));
  EXPECT_EQ(longest.status, 201) << "63 characters: " << longest.text;
  const Answer too_long = call("POST", kRuns, text(std::string(60, 'b'), R"({"count":101})"));
  EXPECT_EQ(too_long.reason(), "ARRAY_NAME_TOO_LONG");
  EXPECT_EQ(field(too_long), "metadata.name");
}

TEST_F(Arrays, GiveTheNamesOfTheirElementsToNobody) {
  ASSERT_EQ(call("POST", kRuns, text("sweep", R"({"count":3})")).status, 201);
  const auto plain = [&](const char* name) {
    return call("POST", kRuns,
                cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")",
                    name, R"("},"spec":{"type":"command","command":["true"]}})"));
  };
  EXPECT_EQ(plain("sweep-2").reason(), "ARRAY_NAME_TAKEN");
  EXPECT_EQ(plain("sweep-2").status, 409);
  EXPECT_EQ(plain("sweep-3").status, 201) << "there is no such index";
  EXPECT_EQ(plain("other-1").status, 201);
  EXPECT_EQ(call("POST", kRuns, text("other", R"({"count":2})")).reason(), "ARRAY_NAME_TAKEN");
  EXPECT_EQ(call("POST", kRuns, text("other", R"({"count":1})")).status, 201);
}

TEST_F(Arrays, OfOneListHaveNoMoreElementsThanOneMayHave) {
  const auto list = [](int64_t second) {
    return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"RunList","items":[)",
               text("a", R"({"count":6000})"), ",", text("b", cat(R"({"count":)", second, "}")),
               "]}");
  };
  EXPECT_EQ(call("POST", kRuns, list(4001)).reason(), "LIST_TOO_LONG");
  EXPECT_EQ(call("POST", kRuns, list(4000)).status, 201);
}

TEST_F(Arrays, OfOneListHaveElementsOfWhoseNamesItHasNoRun) {
  for (const bool array_first : {true, false}) {
    const std::string array = text("a", R"({"count":2})");
    const std::string plain = text("a-1", R"({"count":1})");
    const Answer answer =
        call("POST", kRuns,
             cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"RunList","items":[)",
                 array_first ? array : plain, ",", array_first ? plain : array, "]}"));
    EXPECT_EQ(answer.reason(), "ARRAY_NAME_TAKEN") << answer.text;
  }
  EXPECT_EQ(call("GET", kRuns).body.find("items")->array()->size(), 0u);
}

TEST_F(Arrays, AreMadeOnceByOneKey) {
  Request request = request_of("POST", kRuns, admin_);
  request.headers["idempotency-key"] = "k1";
  const std::string body = text("sweep", R"({"count":3})");
  EXPECT_EQ(send(request, body).status, 201);
  EXPECT_EQ(send(request, body).status, 200);
}

TEST_F(Arrays, OwnershipCannotBeForged) {
  ASSERT_EQ(call("POST", kRuns, text("sweep", R"({"count":3})")).status, 201);
  const char* label = R"(,"labels":{"paddock.dev/array":"sweep"})";
  const Answer labelled = call("POST", kRuns, text("mine", R"({"count":3})", "", label));
  EXPECT_EQ(labelled.reason(), "LABEL_RESERVED");
  EXPECT_EQ(field(labelled), "metadata.labels.paddock.dev/array");
  const Answer forged = call(
      "POST", kRuns,
      R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"mine"},"spec":{"type":"command","command":["true"]},"status":{"element":{"array":"sweep","uid":"u","index":0},"array":{"created":7}}})");
  ASSERT_EQ(forged.status, 201) << forged.text;
  EXPECT_EQ(forged.body.at("status.element"), nullptr);
  EXPECT_EQ(forged.body.at("status.array"), nullptr);
  store_element(0);
  Request patch = request_of("PATCH", cat(kRuns, "/sweep-0"), admin_);
  patch.headers["content-type"] = "application/merge-patch+json";
  EXPECT_EQ(send(patch, R"({"metadata":{"labels":{"paddock.dev/array":null}}})").reason(),
            "LABEL_RESERVED");
  EXPECT_EQ(send(patch, R"({"metadata":{"labels":{"mine":"1"}}})").status, 200);
}

TEST_F(Arrays, HaveNoLogAndNoReceiptOfTheirOwn) {
  ASSERT_EQ(call("POST", kRuns, text("sweep", R"({"count":3})")).status, 201);
  for (const char* what : {"/log", "/receipt", "/files"}) {
    const Answer answer = call("GET", cat(kRuns, "/sweep", what));
    EXPECT_EQ(answer.reason(), "RUN_IS_ARRAY");
    EXPECT_NE(answer.text.find("sweep-0"), std::string::npos);
  }
}

TEST_F(Arrays, ThatAreDeletedGoAfterTheirElements) {
  ASSERT_EQ(call("POST", kRuns, text("sweep", R"({"count":3})")).status, 201);
  const Answer marked = call("DELETE", cat(kRuns, "/sweep?gracePeriodSeconds=0"));
  EXPECT_EQ(marked.status, 200);
  EXPECT_NE(marked.body.at("metadata.deletionTimestamp"), nullptr);
  EXPECT_EQ(call("GET", cat(kRuns, "/sweep")).status, 200) << "also by force";
}

TEST_F(Arrays, CountAnElementThatIsDeletedBeforeAnybodyCountedIt) {
  ASSERT_EQ(call("POST", kRuns, text("sweep", R"({"count":3})")).status, 201);
  store_element(0);
  EXPECT_EQ(call("POST", cat(kRuns, "/sweep-0/cancel"), "{}").status, 200);
  EXPECT_EQ(call("DELETE", cat(kRuns, "/sweep-0")).status, 200);
  EXPECT_EQ(call("GET", cat(kRuns, "/sweep-0")).status, 404);
  EXPECT_EQ(call("GET", cat(kRuns, "/sweep")).body.text("status.array.canceledIndexes"), "0");
}

}  // namespace
}  // namespace paddock::api
