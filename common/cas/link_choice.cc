#include "common/cas/link_choice.h"

#include <algorithm>

#include "common/base/reason.h"
#include "common/base/text.h"
#include "common/contracts/tree_path.h"

namespace paddock::cas {
namespace {

// Without what changes nothing: `./a//b/` is a/b.
std::string plain(const std::string& target) {
  if (target.starts_with('/')) return target;
  std::vector<std::string> parts = split(target, '/');
  std::erase_if(parts, [](const std::string& part) { return part.empty() || part == "."; });
  return join(parts, "/");
}

}  // namespace

LinkChoice choose_links(std::vector<contracts::TreeLink> links,
                        const std::function<bool(const std::string& path)>& comes) {
  LinkChoice out;
  const auto leave_out = [&](const std::string& path, const std::string& why) {
    out.left_out.push_back(
        {to_utf8_lossy(path), cat("a link that ", why), Reason("LINK_NOT_SENT")});
  };
  contracts::TreeLinks all;
  for (contracts::TreeLink& link : links) {
    link.target = plain(link.target);
    const std::string fault = contracts::link_target_fault(link.path, link.target);
    if (fault.empty()) all.emplace(link.path, link.target);
  }
  for (contracts::TreeLink& link : links) {
    if (!all.contains(link.path)) {
      leave_out(link.path, contracts::link_target_fault(link.path, link.target));
      continue;
    }
    const auto end = contracts::resolve_links(link.path, all);
    if (end && comes(*end)) {
      out.kept.push_back(std::move(link));
    } else {
      leave_out(link.path, end ? "leads to nothing that is sent" : "leads to itself");
    }
  }
  return out;
}

}  // namespace paddock::cas
