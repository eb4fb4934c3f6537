// A run to change, and the three kinds of patch.
#pragma once

#include <string>

#include "controller/api/api_test_support.h"

namespace paddock::api {

inline constexpr const char* kMerge = "application/merge-patch+json";
inline constexpr const char* kJson = "application/json-patch+json";
inline constexpr const char* kApply = "application/apply-patch+yaml";

class Changes : public ApiTest {
 protected:
  Changes() {
    make_workspace();
    EXPECT_EQ(call("POST", cat(kRuns, "?fieldManager=maker"), run_text("r1")).status, 201);
  }
  Answer patch(const std::string& target, const char* type, const std::string& body) {
    Request request = request_of("PATCH", target, admin_);
    request.headers["content-type"] = type;
    return send(request, body);
  }
  Answer patch_run(const char* type, const std::string& body, const std::string& query = {}) {
    return patch(cat(kRuns, "/r1", query), type, body);
  }
  std::string version() {
    return call("GET", cat(kRuns, "/r1")).body.text("metadata.resourceVersion");
  }
  static std::string cause(const Answer& answer, size_t i = 0) {
    const wire::Value* causes = answer.body.at("details.causes");
    if (causes == nullptr || causes->array()->size() <= i) return "";
    return causes->array()->at(i).text("field");
  }
};

}  // namespace paddock::api
