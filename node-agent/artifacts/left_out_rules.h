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

// Why an entry that is no folder is left out, judged by its type and without opening it.
Refusal refusal(const std::string& path, const struct stat& stat);
// Why a file is left out that other programs of the caller would obey, wherever it lies.
Refusal danger(const std::string& path);
// Says that a folder was asked for and could not be opened.
Rule missing_folder(const Error& error);
// Says that the disk could not read the file.
Rule unreadable();

}  // namespace paddock::artifacts
