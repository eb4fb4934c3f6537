#include "common/base/told_cause.h"

#include "common/base/fault_sentence.h"
#include "common/base/text.h"

namespace paddock {
namespace {

// The match must begin at a word: `port: …` is no cause of a field `t`.
bool ends_with_words(std::string_view message, std::string_view words) {
  if (!message.ends_with(words)) return false;
  return message.size() == words.size() || message[message.size() - words.size() - 1] == ' ';
}

}  // namespace

bool tells(std::string_view message, const Cause& cause) {
  const std::string_view told = without_more_faults(message);
  if (cause.field.empty()) return cause.message.empty() || ends_with_words(told, cause.message);
  return ends_with_words(told, cat(cause.field, ": ", cause.message)) ||
         ends_with_words(told, cat(cause.field, " ", cause.message));
}

}  // namespace paddock
