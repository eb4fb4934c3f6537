// What a scan found, as words for tests.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/tree.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::cas {

inline std::vector<std::string> paths(const Scan& scan) {
  std::vector<std::string> out;
  for (const contracts::TreeEntry& entry : scan.tree.entries) out.push_back(entry.path);
  return out;
}
inline std::vector<std::string> left_out(const Scan& scan) {
  std::vector<std::string> out;
  for (const contracts::LeftOut& each : scan.left_out)
    out.push_back(each.path + " by " + each.rule);
  return out;
}
inline std::vector<std::string> links(const Scan& scan) {
  std::vector<std::string> out;
  for (const contracts::TreeLink& link : scan.tree.links)
    out.push_back(cat(link.path, " -> ", link.target));
  return out;
}
inline void link(const std::string& target, const std::string& at) {
  ASSERT_EQ(::symlink(target.c_str(), at.c_str()), 0);
}

}  // namespace paddock::cas
