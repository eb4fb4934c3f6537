// Why something that a run left does not come back. Pure.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "common/base/error.h"

namespace paddock::artifacts {

// A word for programs and a sentence for people.
struct Rule {
  Reason reason;
  std::string text;
};
using Refusal = std::optional<Rule>;  // nothing: it may come back

// Of an entry that is no folder, whatever its type, judged without opening it.
Refusal refusal(const std::string& path, const struct stat& stat);
// Of what other programs of the caller would obey, wherever it lies.
Refusal danger(const std::string& path);
// Of a folder that was asked for and could not be opened.
Rule missing_folder(const Error& error);
// Of what the disk did not give.
Rule unreadable();

}  // namespace paddock::artifacts
