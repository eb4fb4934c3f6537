// What a controller says of itself while it runs: controller.json in the data folder, by which
// `paddock up` and `status` find it.
#pragma once

#include <string>

#include "common/base/random.h"
#include "common/base/result.h"

namespace paddock::app {

struct SelfDescription {
  std::string path;
  std::string nonce;
};
// Writes where this process listens, and which process it is.
Result<SelfDescription> write_self(const std::string& data_dir, const std::string& url, int port,
                                   Random& random);
void remove_self(const SelfDescription& self);  // only if it is still ours

}  // namespace paddock::app
