#include "controller/k8s/protobuf.h"

#include <array>
#include <span>

#include "common/base/text.h"

namespace paddock::k8s {
namespace {

using wire::Value;

Error malformed() {
  return invalid_argument("MALFORMED_PROTOBUF", "the body is no protobuf message of Kubernetes");
}

constexpr std::string_view kMagic("k8s\0", 4);

// The text fields of a message, by number.
struct TextField {
  uint64_t number;
  const char* name;
};
constexpr std::array<TextField, 7> kResourceAttributes = {{{1, "namespace"},
                                                           {2, "verb"},
                                                           {3, "group"},
                                                           {4, "version"},
                                                           {5, "resource"},
                                                           {6, "subresource"},
                                                           {7, "name"}}};
constexpr std::array<TextField, 2> kNonResourceAttributes = {{{1, "path"}, {2, "verb"}}};
constexpr std::array<TextField, 1> kRulesSpec = {{{1, "namespace"}}};
constexpr std::array<TextField, 2> kTypeMeta = {{{1, "apiVersion"}, {2, "kind"}}};

Result<Value> decode_texts(std::string_view bytes, std::span<const TextField> fields) {
  Value out = Value::Object{};
  ProtoReader reader(bytes);
  while (true) {
    ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) return out;
    for (const TextField& each : fields) {
      if (each.number != field->number) continue;
      if (!is_utf8(field->bytes)) return malformed();
      out.set(each.name, field->bytes);
    }
  }
}

// The bytes of one field; empty when it is not there.
Result<std::string_view> field_of(std::string_view message, uint64_t number) {
  std::string_view found;
  ProtoReader reader(message);
  while (true) {
    ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) return found;
    if (field->number == number) found = field->bytes;
  }
}

Result<Value> access_spec(std::string_view spec) {
  Value out = Value::Object{};
  ProtoReader reader(spec);
  while (true) {
    ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) return out;
    if (field->number == 1) {
      ASSIGN_OR_RETURN(Value attributes, decode_texts(field->bytes, kResourceAttributes));
      out.set("resourceAttributes", std::move(attributes));
    } else if (field->number == 2) {
      ASSIGN_OR_RETURN(Value attributes, decode_texts(field->bytes, kNonResourceAttributes));
      out.set("nonResourceAttributes", std::move(attributes));
    }
  }
}

}  // namespace

Result<uint64_t> ProtoReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return malformed();
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    if (shift == 63 && byte > 1) return malformed();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return malformed();
}

Result<std::string_view> ProtoReader::take(size_t size) {
  if (size > rest_.size()) return malformed();
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

Result<std::optional<ProtoReader::Field>> ProtoReader::next() {
  if (rest_.empty()) return std::optional<Field>();
  ASSIGN_OR_RETURN(const uint64_t tag, varint());
  Field field;
  field.number = tag >> 3;
  if (field.number == 0) return malformed();
  switch (tag & 7) {
    case 0: {
      ASSIGN_OR_RETURN(field.integer, varint());
      break;
    }
    case 1: {
      TRY(take(8));
      break;
    }
    case 2: {
      ASSIGN_OR_RETURN(const uint64_t size, varint());
      ASSIGN_OR_RETURN(field.bytes, take(size));
      break;
    }
    case 5: {
      TRY(take(4));
      break;
    }
    default:
      return malformed();
  }
  return std::optional<Field>(field);
}

void ProtoWriter::varint(uint64_t value) {
  while (value >= 0x80) {
    out_ += static_cast<char>(static_cast<uint8_t>(value) | 0x80);
    value >>= 7;
  }
  out_ += static_cast<char>(value);
}

void ProtoWriter::message(int field, std::string_view encoded) {
  varint(static_cast<uint64_t>(field) << 3 | 2);
  varint(encoded.size());
  out_ += encoded;
}

void ProtoWriter::boolean(int field, bool value) {
  varint(static_cast<uint64_t>(field) << 3);
  varint(value ? 1 : 0);
}

Result<Value> decode_review(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return malformed();
  bytes.remove_prefix(kMagic.size());
  ASSIGN_OR_RETURN(const std::string_view type, field_of(bytes, 1));
  ASSIGN_OR_RETURN(const std::string_view raw, field_of(bytes, 2));
  ASSIGN_OR_RETURN(Value review, decode_texts(type, kTypeMeta));
  ASSIGN_OR_RETURN(const std::string_view spec, field_of(raw, 2));
  const std::string kind = review.text("kind");
  if (kind == "SelfSubjectAccessReview") {
    ASSIGN_OR_RETURN(Value attributes, access_spec(spec));
    review.set("spec", std::move(attributes));
  } else if (kind == "SelfSubjectRulesReview") {
    ASSIGN_OR_RETURN(Value attributes, decode_texts(spec, kRulesSpec));
    review.set("spec", std::move(attributes));
  } else if (kind != "SelfSubjectReview") {
    return invalid_argument("MEDIA_TYPE_UNSUPPORTED",
                            "this kind is not read as protobuf; send it as application/json");
  }
  return review;
}

}  // namespace paddock::k8s
