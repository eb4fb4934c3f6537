// Documents in files that options name, as --policy and --security: YAML or JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/describe.h"
#include "common/wire/near_fields.h"
#include "common/wire/value.h"

namespace paddock::cli {

// `file` as it was typed: `-` is standard input, and shown as `stdin`.
std::string shown_file(const std::string& file);

// The error of a text that is no document has `FILE: ` in front.
Result<wire::Value> parse_document(const std::string& file, std::string_view text);

// Gives each fault of a field of such a document its `FILE:LINE: `. `within`: the path of the
// document in what was sent (`sandbox.`); fields that are not below it stay as they are.
Error at_its_place(Error error, const std::string& file, std::string_view text,
                   std::string_view within = {});

template <class T>
Result<T> decode_document(const std::string& file, std::string_view text) {
  ASSIGN_OR_RETURN(const wire::Value value, parse_document(file, text));
  Result<T> decoded = wire::decode<T>(value);
  if (decoded.ok()) return decoded;
  return at_its_place(wire::with_near_fields(decoded.error(), wire::schema<T>), file, text);
}

}  // namespace paddock::cli
