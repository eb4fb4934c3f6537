#include "controller/k8s/patch.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/text.h"

namespace paddock::k8s {
namespace {

using wire::Value;

// ---- merge patch

// Where each member of an object is, for objects too large to search by walking.
class MemberIndex {
 public:
  explicit MemberIndex(const Value::Object& members) {
    for (size_t i = 0; i < members.size(); ++i) places_.emplace(members[i].first, i);
  }
  std::optional<size_t> find(const std::string& key) const {
    const auto found = places_.find(key);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string, size_t> places_;
};

void merge_into(Value::Object& members, const Value::Object& patch) {
  const MemberIndex index(members);
  std::vector<bool> removed(members.size(), false);
  for (const auto& [key, value] : patch) {
    const auto place = index.find(key);
    if (value.is_null()) {
      if (place) removed[*place] = true;
    } else if (place) {
      members[*place].second = merge_patch(std::move(members[*place].second), value);
    } else {
      members.emplace_back(key, merge_patch(Value(), value));
    }
  }
  size_t at = 0;
  std::erase_if(members, [&](const Value::Member&) {
    const size_t here = at++;
    return here < removed.size() && removed[here];
  });
}

// ---- JSON patch

// The cost of looking at a value or copying it: a long text counts as many values.
size_t weight_of(const Value& value) {
  constexpr size_t kTextOfOne = 32;
  size_t weight = 1;
  if (const auto* text = value.string()) {
    weight += text->size() / kTextOfOne;
  } else if (const auto* items = value.array()) {
    for (const Value& item : *items) weight += weight_of(item);
  } else if (const auto* members = value.object()) {
    for (const auto& [key, member] : *members)
      weight += key.size() / kTextOfOne + weight_of(member);
  }
  return weight;
}

size_t depth_of(const Value& value) {
  size_t deepest = 0;
  if (const auto* items = value.array()) {
    for (const Value& item : *items) deepest = std::max(deepest, depth_of(item));
  } else if (const auto* members = value.object()) {
    for (const auto& [key, member] : *members) deepest = std::max(deepest, depth_of(member));
  }
  return deepest + 1;
}

Error malformed(std::string message) {
  return invalid_argument("PATCH_INVALID", std::move(message));
}
Error unfit(Reason reason, std::string message) {
  return {Code::kFailedPrecondition, reason, std::move(message)};
}

using Tokens = std::vector<std::string>;

// RFC 6901: `~1` is '/', `~0` is '~'.
Result<std::string> unescaped(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    const char next = i + 1 < token.size() ? token[++i] : '\0';
    if (next != '0' && next != '1') return malformed("\"~\" in a path is followed by 0 or 1");
    out += next == '0' ? '~' : '/';
  }
  return out;
}

Result<Tokens> parse_pointer(const Value& operation, const char* member) {
  const Value* path = operation.find(member);
  if (path == nullptr || path->string() == nullptr)
    return malformed(cat("\"", member, "\" must be a path such as /spec/priority"));
  Tokens tokens;
  if (path->string()->empty()) return tokens;
  if (path->string()->front() != '/') return malformed(cat("\"", member, "\" must begin with /"));
  for (const std::string& part : split(std::string_view(*path->string()).substr(1), '/')) {
    if (tokens.size() == kDeepestPatch) return malformed("a path is too deep");
    ASSIGN_OR_RETURN(std::string token, unescaped(part));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::optional<size_t> array_index(std::string_view token, size_t limit) {
  const bool canonical = token == "0" || (!token.empty() && token.front() != '0');
  const auto index = parse_integer<size_t>(token);
  if (!canonical || !index || *index >= limit || token.front() == '+') return std::nullopt;
  return index;
}

class Patcher {
 public:
  explicit Patcher(Value document) : document_(std::move(document)) {}

  Status apply(const Value& operation) {
    if (operation.object() == nullptr) return malformed("an operation is an object");
    const std::string op = operation.text("op");
    ASSIGN_OR_RETURN(const Tokens path, parse_pointer(operation, "path"));
    if (op == "remove") return remove(path);
    if (op == "move" || op == "copy") return transfer(operation, path, op == "move");
    const Value* value = operation.find("value");
    const bool known = op == "add" || op == "replace" || op == "test";
    if (!known) return malformed("op must be add, remove, replace, move, copy or test");
    if (value == nullptr) return malformed(cat("\"", op, "\" needs a value"));
    if (op == "add") return add(path, *value);
    return op == "replace" ? replace(path, *value) : test(path, *value);
  }
  Value take() { return std::move(document_); }

 private:
  Status charge(size_t work) {
    work_ += work;
    if (work_ <= kMostPatchWork) return {};
    return unfit("PATCH_TOO_COSTLY", "the patch makes too much work; send it in smaller parts");
  }

  // The value at the first `count` tokens.
  Result<Value*> find(const Tokens& path, size_t count) {
    Value* here = &document_;
    for (size_t i = 0; i < count; ++i) {
      Value* next = nullptr;
      if (auto* items = here->array()) {
        if (const auto index = array_index(path[i], items->size())) next = &(*items)[*index];
      } else if (auto* members = here->object()) {
        TRY(charge(members->size()));
        next = here->find(path[i]);
      }
      if (next == nullptr) return unfit("PATCH_PATH_MISSING", "the path leads to nothing");
      here = next;
    }
    return here;
  }

  Status check_depth(const Tokens& path, const Value& value) {
    TRY(charge(weight_of(value)));
    if (path.size() + depth_of(value) <= kDeepestPatch) return {};
    return unfit("PATCH_TOO_COSTLY", "the patch would nest values too deeply");
  }

  Status add(const Tokens& path, Value value) {
    TRY(check_depth(path, value));
    if (path.empty()) {
      document_ = std::move(value);
      return {};
    }
    ASSIGN_OR_RETURN(Value* const parent, find(path, path.size() - 1));
    const std::string& last = path.back();
    if (auto* items = parent->array()) {
      const auto index =
          last == "-" ? std::optional(items->size()) : array_index(last, items->size() + 1);
      if (!index) return unfit("PATCH_PATH_MISSING", "the list has no such place");
      TRY(charge(items->size() - *index));
      items->insert(items->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
      return {};
    }
    if (parent->object() == nullptr)
      return unfit("PATCH_PATH_MISSING", "the path leads into a value that has no members");
    TRY(charge(parent->object()->size()));
    parent->set(last, std::move(value));
    return {};
  }

  Status remove(const Tokens& path) {
    if (path.empty()) return malformed("the whole object cannot be removed; delete it");
    TRY(find(path, path.size()));
    ASSIGN_OR_RETURN(Value* const parent, find(path, path.size() - 1));
    if (auto* items = parent->array()) {
      const auto index = array_index(path.back(), items->size());
      TRY(charge(items->size() - *index));
      items->erase(items->begin() + static_cast<std::ptrdiff_t>(*index));
    } else {
      parent->erase(path.back());
    }
    return {};
  }

  Status replace(const Tokens& path, const Value& value) {
    TRY(check_depth(path, value));
    ASSIGN_OR_RETURN(Value* const place, find(path, path.size()));
    *place = value;
    return {};
  }

  Status transfer(const Value& operation, const Tokens& path, bool moves) {
    ASSIGN_OR_RETURN(const Tokens from, parse_pointer(operation, "from"));
    const bool inside =
        from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin());
    if (moves && inside) return malformed("a value cannot be moved into itself");
    ASSIGN_OR_RETURN(Value* const source, find(from, from.size()));
    TRY(charge(weight_of(*source)));
    Value value = *source;
    if (moves) TRY(remove(from));
    return add(path, std::move(value));
  }

  Status test(const Tokens& path, const Value& value) {
    ASSIGN_OR_RETURN(const Value* const place, find(path, path.size()));
    TRY(charge(weight_of(*place)));
    if (*place == value) return {};
    return unfit("PATCH_TEST_FAILED", "the value is not the one that the patch expects");
  }

  Value document_;
  size_t work_ = 0;
};

}  // namespace

Value merge_patch(Value document, const Value& patch) {
  const Value::Object* changes = patch.object();
  if (changes == nullptr) return patch;
  if (document.object() == nullptr) document = Value::Object{};
  merge_into(*document.object(), *changes);
  return document;
}

Result<Value> json_patch(Value document, const Value& patch) {
  const Value::Array* operations = patch.array();
  if (operations == nullptr) return malformed("a JSON patch is a list of operations");
  if (operations->size() > kMostPatchOperations)
    return malformed(cat("at most ", kMostPatchOperations, " operations"));
  Patcher patcher(std::move(document));
  for (size_t i = 0; i < operations->size(); ++i) {
    const Status applied = patcher.apply((*operations)[i]);
    if (applied.ok()) continue;
    Error error = applied.error();
    error.causes = {{cat("[", i, "]"), error.message}};
    error.message = cat("operation ", i, ": ", error.message);
    return error;
  }
  return patcher.take();
}

}  // namespace paddock::k8s
