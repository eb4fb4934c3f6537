// What the text of an argument has to look like, where its schema cannot say it: strict hosts take
// neither patterns nor formats. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::mcp {

// `value`, of the type that the schema says, given for `argument`: a name that means the same in
// every tool, with its place in front, such as `files[1].path`. ARGUMENT_INVALID with that as the
// cause's field, or one cause for each item of a list that is wrong.
//
// One that ends up in a URL or a header is checked by whoever puts it there, too.
Status check_format(const std::string& argument, const wire::Value& value);

// The name of an object of this server's namespace.
Status check_name(const std::string& argument, const std::string& name);

}  // namespace paddock::mcp
