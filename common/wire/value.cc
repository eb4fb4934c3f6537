#include "common/wire/value.h"

#include <algorithm>
#include <array>

namespace paddock::wire {
namespace {

std::vector<const Value::Member*> sorted(const Value::Object& members) {
  std::vector<const Value::Member*> out;
  for (const Value::Member& each : members) out.push_back(&each);
  std::ranges::sort(out, {},
                    [](const Value::Member* each) { return std::string_view(each->first); });
  return out;
}

// Whatever the order of their members; each value is compared once, however deep it lies.
bool same_members(const Value::Object& a, const Value::Object& b) {
  if (std::ranges::equal(a, b, {}, &Value::Member::first, &Value::Member::first))
    return std::ranges::equal(a, b, {}, &Value::Member::second, &Value::Member::second);
  return a.size() == b.size() &&
         std::ranges::equal(sorted(a), sorted(b),
                            [](const auto* one, const auto* other) { return *one == *other; });
}

}  // namespace

Value::Value() = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;
Value::Value(std::string value) : data_(std::move(value)) {}
Value::Value(std::string_view value) : data_(std::string(value)) {}
Value::Value(const char* value) : data_(std::string(value)) {}
Value::Value(Array value) : data_(std::move(value)) {}
Value::Value(Object value) : data_(std::move(value)) {}

bool Value::equals(const Value& other) const {
  const Object* members = object();
  const Object* others = other.object();
  if (members != nullptr && others != nullptr) return same_members(*members, *others);
  return data_ == other.data_;
}

const Value* Value::find(std::string_view key) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, key, &Member::first);
  return found == members->end() ? nullptr : &found->second;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

const Value* Value::at(std::string_view dotted_path) const {
  const Value* here = this;
  while (here != nullptr && !dotted_path.empty()) {
    const size_t dot = std::min(dotted_path.find('.'), dotted_path.size());
    here = here->find(dotted_path.substr(0, dot));
    dotted_path.remove_prefix(std::min(dot + 1, dotted_path.size()));
  }
  return here;
}

std::string Value::text(std::string_view dotted_path) const {
  const Value* found = at(dotted_path);
  return found != nullptr && found->string() != nullptr ? *found->string() : std::string();
}

void Value::set(std::string_view key, Value value) {
  if (is_null()) data_ = Object();
  if (Value* found = find(key)) {
    *found = std::move(value);
  } else if (Object* members = object()) {
    members->emplace_back(std::string(key), std::move(value));
  }
}

void Value::erase(std::string_view key) {
  if (Object* members = object())
    std::erase_if(*members, [&](const Member& member) { return member.first == key; });
}

void Value::push_back(Value value) {
  if (is_null()) data_ = Array();
  if (Array* items = array()) items->push_back(std::move(value));
}

std::string_view Value::type_name() const {
  constexpr std::array<std::string_view, 7> kNames = {"null",   "boolean", "integer", "number",
                                                      "string", "array",   "object"};
  return kNames[data_.index()];
}

}  // namespace paddock::wire
