// A program's configuration: YAML text, overridden by environment variables whose names follow from
// the schema: with the prefix `PADDOCK_CONTROLLER_`, `PADDOCK_CONTROLLER_TLS_CERT_FILE` sets
// `tls.certFile`. Values are read as YAML. Every error has reason CONFIG_INVALID and names the file
// with its line, or the variable; a variable with the prefix that names no key is an error. A key
// or variable that is nearly one of ours is answered with it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/describe.h"
#include "common/wire/value.h"

namespace paddock::wire {

// Variable name -> dotted path of the key.
std::map<std::string, std::string> settings_variables(std::string_view prefix, const Value& schema);

// InvalidArgument naming each null at a path or below it. Elsewhere a key that is null counts as
// absent; there it would leave out what protects, and nobody would be told.
Status check_no_nulls(const Value& document, const std::vector<std::string_view>& paths);

// How people call what settings come from.
struct SettingsNames {
  std::string file = {};                          // as they named it; empty: there is none
  std::map<std::string, std::string> flags = {};  // variable -> the flag that set it
};

// What a program's configuration is made of. Text and variables must outlive it.
class SettingsSource {
 public:
  // `environment`: the whole one. `schema`: of the configuration.
  SettingsSource(std::string_view yaml, const std::map<std::string, std::string>& environment,
                 std::string_view prefix, const Value& schema, SettingsNames names = {});

  Result<Value> read() const;
  // What read() gave, as a type. All that is wrong with the file and the variables is said at once,
  // without content: `FILE:LINE: KEY`, `VARIABLE: KEY` or `--FLAG: KEY`. `never_null`: paths of
  // keys that are left out or have a value.
  template <typename T>
  Result<T> decoded(const Value& document,
                    const std::vector<std::string_view>& never_null = {}) const {
    Result<T> settings = decode<T>(document);
    const Status values = settings.ok() ? Status() : Status(settings.error());
    TRY(check(values, check_no_nulls(document, never_null)));
    return settings;
  }

 private:
  // What is wrong with the values, and the variables that name no key.
  Status faults(std::optional<Error> values) const;
  Status check(const Status& values, const Status& nulls) const;
  Error all_faults(const Error& values) const;
  void apply_environment(Value& document, std::optional<Error>& all) const;
  void check_variables(std::optional<Error>& all) const;
  // The one that set the field or what is around it, or that set a part of it; empty: none.
  std::string variable_of(std::string_view field) const;
  std::string variable_below(std::string_view field) const;
  std::string name_of(const std::string& variable) const;
  std::vector<std::string> places_of(const Error& cause) const;

  std::string_view yaml_;
  const std::map<std::string, std::string>& environment_;
  std::string_view prefix_;
  Value schema_;
  std::map<std::string, std::string> variables_;  // name -> path
  SettingsNames names_;
};

// What was wrong with a file that somebody named, for the reader of the log: it may have been the
// wrong file, with secrets in it. A key is shown if it could be the name of a setting (at most 64
// letters, digits, `_` and `-`); anything else is `…`.
Error without_content(Error error);

}  // namespace paddock::wire
