#include "cli/output/kubeconfig.h"

#include "common/base/text.h"

namespace paddock::cli {

using wire::Value;

Value kubeconfig(const std::string& context, const http::Endpoint& endpoint,
                 const std::string& name_space) {
  Value cluster = Value::Object{{"server", http::address_of(endpoint)}};
  if (!endpoint.ca_pem.empty()) cluster.set("certificate-authority-data", base64(endpoint.ca_pem));
  const auto named = [&](const char* field, Value content) {
    return Value(
        Value::Array{Value(Value::Object{{"name", context}, {field, std::move(content)}})});
  };
  return Value::Object{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", named("cluster", std::move(cluster))},
      {"users", named("user", Value::Object{{"token", endpoint.token}})},
      {"contexts",
       named("context",
             Value::Object{{"cluster", context}, {"user", context}, {"namespace", name_space}})},
      {"current-context", context},
  };
}

}  // namespace paddock::cli
