// Finds the objects of one kind that a command is about: several NAMEs, or all that selectors
// choose.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/client/run_end.h"
#include "cli/options/command_row.h"
#include "cli/output/kinds.h"

namespace paddock::cli {

// The name alone of a word as people type it or `get -o name` prints it: `a`, `run/a`,
// `run.paddock.dev/a`. USAGE if that is another kind.
Result<std::string> name_of(Kind kind, const std::string& word);
Result<std::vector<std::string>> names_of(Kind kind, const std::vector<std::string>& words);

// The objects that NAME names, each once, or all that --selector and --field-selector choose now.
// USAGE for both or neither; NotFound, NO_RUN or NO_SANDBOX, where none is chosen.
Result<std::vector<std::string>> chosen_names(client::ControllerClient& client,
                                              const Parsed& parsed, Kind kind);
Result<std::vector<RunRef>> chosen_runs(client::ControllerClient& client, const Parsed& parsed);

// The same for what only a single run has, such as a log: an array or a gang stands for its
// elements in the order of their indexes, as far as they are there, unless some of them were chosen
// too.
Result<std::vector<RunRef>> chosen_single_runs(client::ControllerClient& client,
                                               const Parsed& parsed);
// `names`, each once, with what `elements` knows of an array's name in place of it; an array of
// which `names` has an element is left out. Pure.
std::vector<std::string> with_elements(
    const std::vector<std::string>& names,
    const std::map<std::string, std::vector<std::string>>& elements);

// Whose part of the output follows, where there are several.
std::string part_title(const RunRef& run);

}  // namespace paddock::cli
