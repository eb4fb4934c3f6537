#include "controller/k8s/watch.h"

#include "common/base/text.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::k8s {
namespace {

using wire::Value;

std::string line(std::string_view type, std::string_view object_text) {
  return cat(R"({"type":")", type, R"(","object":)", object_text, "}\n");
}

}  // namespace

std::string watch_line(WatchEvent event, std::string_view object_text) {
  switch (event) {
    case WatchEvent::kAdded:
      return line("ADDED", object_text);
    case WatchEvent::kModified:
      return line("MODIFIED", object_text);
    case WatchEvent::kDeleted:
      return line("DELETED", object_text);
    case WatchEvent::kNone:
      break;
  }
  return {};
}

std::string bookmark_line(std::string_view api_version, std::string_view kind,
                          int64_t resource_version, bool initial_end) {
  Value metadata = Value::Object{{"resourceVersion", std::to_string(resource_version)}};
  if (initial_end)
    metadata.set("annotations", Value::Object{{"k8s.io/initial-events-end", "true"}});
  return line("BOOKMARK",
              wire::to_json(Value::Object{
                  {"kind", kind}, {"apiVersion", api_version}, {"metadata", std::move(metadata)}}));
}

std::string error_line(const Error& error) {
  return line("ERROR", wire::to_json(contracts::status_body(error)));
}

}  // namespace paddock::k8s
