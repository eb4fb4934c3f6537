#include "common/contracts/execute.h"

namespace paddock::contracts {

void ExecuteRequest::validate(wire::Check& check) const {
  if (!input_data.is_null() && input_data.object() == nullptr)
    check.fail("input_data", "must be an object or null");
}

ExecuteAnswer refused_answer(std::string error, std::vector<std::string> findings) {
  ExecuteAnswer out;
  out.error = std::move(error);
  if (findings.empty()) return out;
  wire::Value::Array list;
  for (std::string& each : findings) list.emplace_back(std::move(each));
  out.validation_errors = std::move(list);
  return out;
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::ExecuteRequest);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::ExecuteAnswer);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::SnippetOrder);
