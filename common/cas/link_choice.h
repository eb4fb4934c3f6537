// Chooses the links of a project that are uploaded: those that lead to something that is uploaded.
// Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::cas {

struct LinkChoice {
  std::vector<contracts::TreeLink> kept;
  std::vector<contracts::LeftOut> left_out;
};

// `links` as they are on the disk, sorted by path. `comes`: whether this file or folder of the
// project comes along; the project itself, "", does.
LinkChoice choose_links(std::vector<contracts::TreeLink> links,
                        const std::function<bool(const std::string& path)>& comes);

}  // namespace paddock::cas
