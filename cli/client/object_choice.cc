#include "cli/client/object_choice.h"

#include <algorithm>
#include <utility>

#include "cli/client/list_items.h"
#include "cli/client/name_choice.h"
#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"

namespace paddock::cli {

using wire::Value;

std::string ObjectChoice::target() const {
  const bool everywhere = all_namespaces || !info(kind).namespaced;
  const std::string plural(info(kind).plural);
  const std::string where = everywhere ? "" : name_space;
  std::string path = name.empty() ? contracts::paths::collection(where, plural)
                                  : contracts::paths::object(where, plural, name);
  char joint = '?';
  const auto ask = [&](std::string_view what, const std::string& text) {
    if (text.empty()) return;
    path += cat(std::string(1, joint), what, "=", percent_encode(text));
    joint = '&';
  };
  ask("labelSelector", selector);
  ask("fieldSelector", fields);
  return path;
}

std::string ObjectChoice::watched() const {
  if (name.empty()) return cat(target(), selector.empty() && fields.empty() ? "?" : "");
  ObjectChoice list = *this;
  list.name.clear();
  return cat(list.target(), "?fieldSelector=", percent_encode(cat("metadata.name=", name)));
}

ObjectChoice ObjectChoice::one(const std::string& its_name) const {
  ObjectChoice out = *this;
  out.name = its_name;
  out.selector.clear();
  out.fields.clear();
  return out;
}

std::string selector_of(const Parsed& parsed, const std::string& option) {
  return std::string(trim(parsed.text(option)));
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
  if (!choice.name.empty() || parsed.has("NAME")) {
    ASSIGN_OR_RETURN(choice.name, name_of(choice.kind, choice.name));
  }
  choice.name_space = parsed.text("namespace", "default");
  choice.selector = selector_of(parsed, "selector");
  choice.fields = selector_of(parsed, "field-selector");
  choice.all_namespaces = parsed.has("all-namespaces");
  if (choice.all_namespaces && !choice.name.empty()) {
    return invalid_argument("USAGE", "a name belongs to one namespace; leave -A out",
                            "--all-namespaces");
  }
  for (const auto& [text, option] :
       {std::pair(&choice.selector, "--selector"), std::pair(&choice.fields, "--field-selector")}) {
    if (!text->empty() && !choice.name.empty())
      return invalid_argument("USAGE", "a selector chooses from a list; leave the name out",
                              option);
  }
  return choice;
}

Result<std::vector<ObjectChoice>> object_choices(const Parsed& parsed) {
  std::vector<std::string> words = parsed.list("NAME");
  if (words.empty()) {
    ASSIGN_OR_RETURN(ObjectChoice choice, object_choice(parsed));
    return std::vector{std::move(choice)};
  }
  const std::string first = parsed.text("KIND");
  const bool with_kinds = first.find('/') != std::string::npos;
  if (with_kinds) words.insert(words.begin(), first);
  std::vector<ObjectChoice> out;
  for (const std::string& word : words) {
    if (with_kinds && word.find('/') == std::string::npos)
      return invalid_argument(
          "USAGE", cat("`", word, "` names no kind, as `", first, "` does: KIND/NAME"), "NAME");
    Parsed one = parsed;
    one.values.erase("NAME");
    one.values[with_kinds ? "KIND" : "NAME"] = {word};
    ASSIGN_OR_RETURN(ObjectChoice choice, object_choice(one));
    if (choice.name.empty()) return name_of(choice.kind, word).error();  // `run/`
    if (std::ranges::find(out, choice) == out.end()) out.push_back(std::move(choice));
  }
  return out;
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
