// What a fake controller answers in the tests of its client.
#pragma once

#include <string>

#include "common/base/error.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"
#include "tests/support/http_server.h"

namespace paddock::client {

inline constexpr const char* kBase = "/apis/paddock.dev/v1alpha1";

inline test::HttpAnswer error_answer(const Error& error, const std::string& headers = {}) {
  return test::answer(contracts::http_status(error.code),
                      wire::to_json(contracts::status_body(error)), headers);
}

}  // namespace paddock::client
