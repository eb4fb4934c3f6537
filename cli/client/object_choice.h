// Finds the objects that a command is about: `KIND NAME`, `KIND/NAME`, or all of a kind that a
// selector chooses.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_row.h"
#include "cli/output/kinds.h"
#include "common/client/controller_client.h"
#include "common/wire/value.h"

namespace paddock::cli {

struct ObjectChoice {
  Kind kind = Kind::kRun;
  std::string name;  // empty: the whole list
  std::string name_space;
  std::string selector;
  std::string fields;  // a selector of them
  bool all_namespaces = false;

  std::string target() const;
  // The list that `name` is one of, or all of it; ends with a query, to be watched.
  std::string watched() const;
  ObjectChoice one(const std::string& its_name) const;
  friend bool operator==(const ObjectChoice&, const ObjectChoice&) = default;
};
// The selector given with `option`, without blanks at its ends. One that is only blanks is the same
// as none: commands that need a name or a selector then refuse, so `-l "$LABELS "` with an unset
// variable never means all objects.
std::string selector_of(const Parsed& parsed, const std::string& option);

// USAGE for what does not go together.
Result<ObjectChoice> object_choice(const Parsed& parsed);

// Those that KIND and several NAMEs mean, in their order and each once: `run a b`, or `run/a
// node/b` with a kind in each word. The list where no name is given. USAGE.
Result<std::vector<ObjectChoice>> object_choices(const Parsed& parsed);

// The names of all that a choice without a name means, read part by part.
Result<std::vector<std::string>> listed_names(client::ControllerClient& client,
                                              const ObjectChoice& choice);

}  // namespace paddock::cli
