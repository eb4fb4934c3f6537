// The part of the protobuf wire format that kubectl needs: reading the small requests that it sends
// in no other form, and writing the OpenAPI v2 document that old clients read. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::k8s {

// The fields of one message, one after another.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view bytes) : rest_(bytes) {}
  struct Field {
    uint64_t number = 0;
    uint64_t integer = 0;    // of a varint or fixed field
    std::string_view bytes;  // of a length-delimited one
  };
  // Nothing at the end. InvalidArgument (MALFORMED_PROTOBUF).
  Result<std::optional<Field>> next();

 private:
  Result<uint64_t> varint();
  Result<std::string_view> take(size_t size);
  std::string_view rest_;
};

class ProtoWriter {
 public:
  void text(int field, std::string_view value) { message(field, value); }  // also bytes
  void message(int field, std::string_view encoded);
  void boolean(int field, bool value);
  std::string take() { return std::move(out_); }

 private:
  void varint(uint64_t value);
  std::string out_;
};

// A SelfSubjectAccessReview, SelfSubjectRulesReview or SelfSubjectReview as Kubernetes' typed
// clients send it, as the document that they would have sent in JSON. MALFORMED_PROTOBUF;
// MEDIA_TYPE_UNSUPPORTED for any other kind.
Result<wire::Value> decode_review(std::string_view bytes);

}  // namespace paddock::k8s
