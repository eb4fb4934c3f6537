// Which paths can be files of a tree, and where its links may lead. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace paddock::contracts {

// Why this path cannot: "must be relative"; empty if it can.
std::string tree_path_fault(std::string_view path);

// Why the link at `path` cannot lead to `target`: "leads out of the folder"; empty if it can. The
// folder of a link is a real one and `..` comes first only, so that no link on the way can lift
// another one out.
std::string link_target_fault(std::string_view path, std::string_view target);

// Targets by the paths of links, all of them without fault.
using TreeLinks = std::map<std::string, std::string, std::less<>>;
// Where a path of a tree ends, links followed; the folder itself is empty. Nothing: links that lead
// around in a circle.
std::optional<std::string> resolve_links(std::string_view path, const TreeLinks& links);

}  // namespace paddock::contracts
