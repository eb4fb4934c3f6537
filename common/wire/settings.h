// A program's configuration: YAML text, overridden by environment variables whose names follow from
// the schema: with the prefix `PADDOCK_CONTROLLER_`, `PADDOCK_CONTROLLER_TLS_CERT_FILE` sets
// `tls.certFile`. Values are read as YAML. Every error has reason CONFIG_INVALID and names the file
// or the variable; a variable with the prefix that names no key is an error.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::wire {

// Variable name -> dotted path of the key.
std::map<std::string, std::string> settings_variables(std::string_view prefix, const Value& schema);

Result<Value> read_settings(std::string_view yaml,
                            const std::map<std::string, std::string>& environment,
                            std::string_view prefix, const Value& schema);

// `cause` as an error of the configuration at `where`, without content.
Error settings_error(const Error& cause, std::string_view where);

// What was wrong with a file that somebody named, told to whoever reads the log: it may have been
// the wrong file, with secrets in it. Of its keys is shown what can be the name of a setting, 64
// letters, digits, `_`, `-` at most; the rest is `…`.
Error without_content(Error error);

}  // namespace paddock::wire
