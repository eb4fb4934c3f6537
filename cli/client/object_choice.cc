#include "cli/client/object_choice.h"

#include "cli/client/list_items.h"
#include "common/base/percent.h"
#include "common/contracts/api_paths.h"

namespace paddock::cli {

using wire::Value;

std::string ObjectChoice::target() const {
  const bool everywhere = all_namespaces || !info(kind).namespaced;
  const std::string plural(info(kind).plural);
  const std::string where = everywhere ? "" : percent_encode(name_space);
  std::string path = name.empty() ? contracts::paths::collection(where, plural)
                                  : contracts::paths::object(where, plural, percent_encode(name));
  if (!selector.empty()) path += cat("?labelSelector=", percent_encode(selector));
  return path;
}

std::string ObjectChoice::watched() const {
  if (name.empty()) return cat(target(), selector.empty() ? "?" : "");
  ObjectChoice list = *this;
  list.name.clear();
  return cat(list.target(), "?fieldSelector=", percent_encode(cat("metadata.name=", name)));
}

ObjectChoice ObjectChoice::one(const std::string& its_name) const {
  ObjectChoice out = *this;
  out.name = its_name;
  out.selector.clear();
  return out;
}

Result<ObjectChoice> object_choice(const Parsed& parsed) {
  ObjectChoice choice;
  std::string kind = parsed.text("KIND");
  choice.name = parsed.text("NAME");
  // kubectl's other way: run/hello
  if (const size_t slash = kind.find('/'); slash != std::string::npos && choice.name.empty()) {
    choice.name = kind.substr(slash + 1);
    kind.resize(slash);
  }
  ASSIGN_OR_RETURN(choice.kind, parse_kind(kind));
  choice.name_space = parsed.text("namespace", "default");
  choice.selector = parsed.text("selector");
  choice.all_namespaces = parsed.has("all-namespaces");
  if (choice.all_namespaces && !choice.name.empty()) {
    return invalid_argument("USAGE", "a name belongs to one namespace; leave -A out",
                            "--all-namespaces");
  }
  if (!choice.selector.empty() && !choice.name.empty()) {
    return invalid_argument("USAGE", "a selector chooses from a list; leave the name out",
                            "--selector");
  }
  return choice;
}

Result<std::vector<std::string>> listed_names(client::ControllerClient& client,
                                              const ObjectChoice& choice) {
  std::vector<std::string> names;
  TRY(client.list(choice.target(), client::ListForm::kMetadata, [&](Value& page) -> Status {
    for (const Value& each : items_of(page)) names.push_back(each.text("metadata.name"));
    return {};
  }));
  return names;
}

}  // namespace paddock::cli
