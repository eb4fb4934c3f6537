#include "node-agent/sandbox/result/redact.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/secret.h"
#include "common/contracts/tool_token.h"

namespace paddock::sandbox {
namespace {

std::string_view without_line_ends(std::string_view value) {
  while (value.ends_with('\n') || value.ends_with('\r')) value.remove_suffix(1);
  return value;
}

}  // namespace

SecretWords::SecretWords(const std::vector<std::string>& values) : nodes_(1) {
  for (const std::string& value : values) {
    const std::string_view word = without_line_ends(value);
    if (word.size() >= contracts::kShortestRedacted) add(word);
  }
  link();
}

uint32_t SecretWords::child_of(uint32_t node, char byte) const {
  uint32_t child = nodes_[node].child;
  while (child != 0 && nodes_[child].byte != byte) child = nodes_[child].sibling;
  return child;
}

void SecretWords::add(std::string_view value) {
  uint32_t at = 0;
  for (const char byte : value) {
    uint32_t child = child_of(at, byte);
    if (child == 0) {
      child = static_cast<uint32_t>(nodes_.size());
      Node made;
      made.sibling = nodes_[at].child;
      made.depth = nodes_[at].depth + 1;
      made.byte = byte;
      nodes_.push_back(made);
      nodes_[at].child = child;
    }
    at = child;
  }
  nodes_[at].ended = nodes_[at].depth;
}

// Nodes are visited by depth: the node to which one falls back is nearer to the root, and so is
// ready.
void SecretWords::link() {
  std::deque<uint32_t> order = {0};
  while (!order.empty()) {
    const uint32_t at = order.front();
    order.pop_front();
    for (uint32_t child = nodes_[at].child; child != 0; child = nodes_[child].sibling) {
      if (at != 0) nodes_[child].fail = next({nodes_[at].fail}, nodes_[child].byte).node;
      nodes_[child].open =
          nodes_[child].child != 0 ? nodes_[child].depth : nodes_[nodes_[child].fail].open;
      nodes_[child].ended = std::max(nodes_[child].ended, nodes_[nodes_[child].fail].ended);
      order.push_back(child);
    }
  }
}

SecretWords::State SecretWords::next(State state, char byte) const {
  for (uint32_t at = state.node;; at = nodes_[at].fail) {
    const uint32_t child = child_of(at, byte);
    if (child != 0 || at == 0) return {child};
  }
}

std::string Redactor::append(std::string_view bytes) {
  held_ += bytes;
  for (const char byte : bytes) {
    state_ = words_->next(state_, byte);
    ++seen_;
    if (const size_t length = words_->ended(state_); length > 0) cover(length);
  }
  return take(seen_ - words_->open(state_));
}

std::string Redactor::finish() {
  state_ = {};
  return take(seen_);
}

// The last `length` bytes; with what they overlap it is one span.
void Redactor::cover(size_t length) {
  Span span{seen_ - length, seen_};
  while (!covered_.empty() && covered_.back().end >= span.begin) {
    span.begin = std::min(span.begin, covered_.back().begin);
    covered_.pop_back();
  }
  covered_.push_back(span);
}

std::string Redactor::take(uint64_t until) {
  std::string out;
  const uint64_t first = taken_;
  while (taken_ < until) {
    const bool covered = !covered_.empty() && covered_.front().begin <= taken_;
    uint64_t end = until;
    if (!covered_.empty())
      end = std::min(end, covered ? covered_.front().end : covered_.front().begin);
    if (!covered) out.append(held_, taken_ - first, end - taken_);
    if (covered && !within_) out += contracts::kRedacted;
    within_ = covered;
    taken_ = end;
    if (covered && end == covered_.front().end) covered_.pop_front();
  }
  held_.erase(0, taken_ - first);
  return out;
}

std::string redacted(const std::shared_ptr<const SecretWords>& words, std::string_view text) {
  if (!words || words->empty()) return std::string(text);
  Redactor redactor(words);
  std::string out = redactor.append(text);
  return out + redactor.finish();
}

std::shared_ptr<const SecretWords> secret_words(const contracts::LaunchRequest& request) {
  std::vector<std::string> values;
  for (const contracts::LaunchSecret& secret : request.secrets)
    values.push_back(decode_base64(secret.value).value_or(""));
  const auto token = request.env.find(std::string(contracts::kToolTokenVariable));
  if (token != request.env.end()) values.push_back(token->second);
  if (values.empty()) return nullptr;
  auto words = std::make_shared<const SecretWords>(values);
  return words->empty() ? nullptr : words;
}

void redact(const std::shared_ptr<const SecretWords>& words, contracts::SandboxResult& result) {
  if (!words) return;
  result.reason = redacted(words, result.reason);
  if (result.not_started)
    result.not_started->message = redacted(words, result.not_started->message);
  for (contracts::Denial& denial : result.denials) {
    for (std::string* text : {&denial.what, &denial.target, &denial.executable})
      *text = redacted(words, *text);
  }
  for (contracts::NetworkFlow& flow : result.usage.network) flow.name = redacted(words, flow.name);
}

}  // namespace paddock::sandbox
