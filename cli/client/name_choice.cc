#include "cli/client/name_choice.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/client/object_choice.h"
#include "cli/terminal/safe_output.h"
#include "common/base/text.h"
#include "common/contracts/array.h"

namespace paddock::cli {
namespace {

// For people: what was asked for.
std::string selectors_text(const ObjectChoice& all) {
  if (all.fields.empty()) return cat("the labels ", all.selector);
  return all.selector.empty() ? cat("the fields ", all.fields)
                              : cat("the labels ", all.selector, " and the fields ", all.fields);
}

Result<std::vector<std::string>> elements_of(client::ControllerClient& client,
                                             const RunRef& array) {
  ObjectChoice all;
  all.name_space = array.name_space;
  all.selector = cat(contracts::kArrayLabel, "=", array.name);
  return listed_names(client, all);
}

std::vector<std::string> by_index(std::vector<std::string> names) {
  std::ranges::sort(names, {}, [](const std::string& name) {
    const auto element = contracts::parse_element_name(name);
    return element ? element->index : -1;
  });
  return names;
}

}  // namespace

Result<std::string> name_of(Kind kind, const std::string& word) {
  const size_t slash = word.find('/');
  // A variable that is not set: without a name the path would be that of all of them.
  if (word.empty() || slash == word.size() - 1)
    return invalid_argument("USAGE", "a name is empty; leave it out, or say which", "NAME");
  if (slash == std::string::npos) return word;
  ASSIGN_OR_RETURN(const Kind named, parse_kind(word.substr(0, slash)));
  if (named == kind) return word.substr(slash + 1);
  return invalid_argument(
      "USAGE", cat("this command is for ", info(kind).plural, "; `", word, "` is none"), "NAME");
}

Result<std::vector<std::string>> names_of(Kind kind, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    ASSIGN_OR_RETURN(std::string name, name_of(kind, word));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<std::string>> chosen_names(client::ControllerClient& client,
                                              const Parsed& parsed, Kind kind) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, names_of(kind, parsed.list("NAME")));
  const ObjectChoice all{.kind = kind,
                         .name = {},
                         .name_space = parsed.text("namespace", "default"),
                         .selector = selector_of(parsed, "selector"),
                         .fields = selector_of(parsed, "field-selector")};
  const bool selects = !all.selector.empty() || !all.fields.empty();
  if (names.empty() && !selects)
    return invalid_argument("USAGE", "say which: names, or --selector for several", "NAME");
  if (!names.empty() && selects)
    return invalid_argument("USAGE", "names, or a selector: leave one of the two out",
                            all.selector.empty() ? "--field-selector" : "--selector");
  if (!names.empty()) return names;
  ASSIGN_OR_RETURN(names, listed_names(client, all));
  if (!names.empty()) return names;
  return Error{Code::kNotFound, kind == Kind::kRun ? Reason("NO_RUN") : Reason("NO_SANDBOX"),
               cat("no ", info(kind).singular, " has ", selectors_text(all))};
}

Result<std::vector<RunRef>> chosen_runs(client::ControllerClient& client, const Parsed& parsed) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, chosen_names(client, parsed, Kind::kRun));
  std::vector<RunRef> runs;
  for (const std::string& name : names) runs.push_back({parsed.text("namespace", "default"), name});
  return runs;
}

std::vector<std::string> with_elements(
    const std::vector<std::string>& names,
    const std::map<std::string, std::vector<std::string>>& elements) {
  std::set<std::string> some_chosen;
  for (const std::string& name : names) {
    if (const auto element = contracts::parse_element_name(name))
      some_chosen.insert(element->array);
  }
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  for (const std::string& name : names) {
    const auto array = elements.find(name);
    if (array == elements.end()) {
      add(name);
    } else if (!some_chosen.contains(name)) {
      std::ranges::for_each(by_index(array->second), add);
    }
  }
  return out;
}

Result<std::vector<RunRef>> chosen_single_runs(client::ControllerClient& client,
                                               const Parsed& parsed) {
  ASSIGN_OR_RETURN(const std::vector<RunRef> chosen, chosen_runs(client, parsed));
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> elements;
  for (const RunRef& run : chosen) {
    names.push_back(run.name);
    const Result<contracts::Run> found = client.get_run(run.name_space, run.name);
    if (!found.ok() && found.error().reason == "ABORTED") return found.error();
    if (!found.ok() || !contracts::is_array(found->spec)) continue;  // it is said where it is used
    ASSIGN_OR_RETURN(const auto there, elements_of(client, run));
    if (!there.empty()) elements[run.name] = there;
  }
  std::vector<RunRef> runs;
  for (std::string& name : with_elements(names, elements))
    runs.push_back({chosen.front().name_space, std::move(name)});
  return runs;
}

std::string part_title(const RunRef& run) { return cat("==> ", printable(run.name), " <==\n"); }

}  // namespace paddock::cli
