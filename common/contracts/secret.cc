#include "common/contracts/secret.h"

#include <algorithm>

#include "common/base/base64_fault.h"
#include "common/base/text.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/names.h"

namespace paddock::contracts {
namespace {

constexpr size_t kMaxKeyBytes = 253;

void check_name(std::string_view list, const std::string& name, wire::Check& check) {
  if (const std::string fault = secret_key_fault(name); !fault.empty())
    check.fail(cat(list, ".", is_utf8(name) ? name : "?"), fault);
}

}  // namespace

bool is_secret_key(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= kMaxKeyBytes && name != "." && !name.starts_with("..") &&
         std::ranges::all_of(name, allowed);
}

std::string secret_key_fault(std::string_view name) {
  if (is_secret_key(name)) return "";
  return "the name of a value has 1 to 253 letters, digits, '-', '_' and '.', and is no path: it "
         "becomes the name of one file, so it does not begin with '..'";
}

// No error of these repeats a value.
void Secret::validate(wire::Check& check) const {
  size_t bytes = 0;
  for (const auto& [name, value] : data) {
    check_name("data", name, check);
    const bool kept = value == kKeptValue;
    const auto plain = kept ? std::optional<std::string>("") : decode_base64(value);
    if (!plain)
      check.fail(cat("data.", name), cat(base64_fault(value), "; text goes into stringData"));
    bytes += plain ? plain->size() : 0;
  }
  for (const auto& [name, value] : string_data) {
    check_name("stringData", name, check);
    bytes += value.size();
  }
  if (bytes > kMaxSecretBytes)
    check.fail("data", cat("the values of a Secret have at most ", kMaxSecretBytes,
                           " bytes together, and these have ", bytes,
                           "; what is larger belongs into a file of the workspace"));
}

void SecretUse::validate(wire::Check& check) const {
  if (!is_dns_label(name))
    check.fail("name",
               "must be the name of a Secret: at most 63 lower-case letters, digits and "
               "'-', and no path");
  if (!key.empty())
    if (const std::string fault = secret_key_fault(key); !fault.empty()) check.fail("key", fault);
  if (variable.empty()) return;
  if (const std::string fault = variable_fault(variable, ""); !fault.empty())
    check.fail("variable", fault);
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Secret);
