#include "controller/agent_sandboxes/command.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/text.h"

namespace paddock::agent_sandboxes {
namespace {

using Words = std::vector<std::string>;

bool is_time(const std::string& text) {
  return text == "infinity" ||
         (!text.empty() && text.find_first_not_of("0123456789smhd") == std::string::npos);
}

bool waits(const Words& words) {
  if (words.size() == 2 && words[0] == "sleep") return is_time(words[1]);
  return words == Words{"tail", "-f", "/dev/null"};
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The words of one plain command; none of them is a sign of the shell.
Words words_of(std::string text) {
  while (!text.empty() && (text.back() == ';' || text.back() == '\n')) text.pop_back();
  Words words;
  for (const std::string& each : split(text, ' ')) {
    if (!each.empty()) words.push_back(each);
  }
  return words;
}

bool loops(const Words& words) {
  // while true; do sleep 3600; done
  return words.size() == 6 && words[0] == "while" && (words[1] == "true;" || words[1] == ":;") &&
         words[2] == "do" && words[3] == "sleep" && words[4].ends_with(';') &&
         is_time(words[4].substr(0, words[4].size() - 1)) && words[5] == "done";
}

}  // namespace

bool only_keeps_alive(const wire::Value& container) {
  Words words;
  for (const char* field : {"command", "args"}) {
    const wire::Value* list = container.find(field);
    if (list == nullptr || list->array() == nullptr) continue;
    for (const wire::Value& each : *list->array()) words.push_back(*each.string());
  }
  if (words.empty()) return true;
  words[0] = last_part(words[0]);
  const bool shell = words[0] == "sh" || words[0] == "bash";
  if (!shell || words.size() != 3 || words[1] != "-c") return waits(words);
  Words inner = words_of(words[2]);
  return waits(inner) || loops(inner);
}

}  // namespace paddock::agent_sandboxes
