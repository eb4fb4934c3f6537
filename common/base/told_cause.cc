#include "common/base/told_cause.h"

#include "common/base/text.h"

namespace paddock {
namespace {

std::string_view without_count(std::string_view message) {
  const size_t count = message.rfind(" (and ");
  const bool counts = count != std::string_view::npos && message.ends_with(')') &&
                      message.find(" more", count) != std::string_view::npos;
  return counts ? message.substr(0, count) : message;
}

// The match must begin at a word: `port: …` is no cause of a field `t`.
bool ends_with_words(std::string_view message, std::string_view words) {
  if (!message.ends_with(words)) return false;
  return message.size() == words.size() || message[message.size() - words.size() - 1] == ' ';
}

}  // namespace

bool tells(std::string_view message, const Cause& cause) {
  const std::string_view told = without_count(message);
  if (cause.field.empty()) return cause.message.empty() || ends_with_words(told, cause.message);
  return ends_with_words(told, cat(cause.field, ": ", cause.message)) ||
         ends_with_words(told, cat(cause.field, " ", cause.message));
}

}  // namespace paddock
