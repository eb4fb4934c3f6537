// Any bytes as a typed client's request: refused with a reason, or a review with a kind.
#include "controller/k8s/protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto review = paddock::k8s::decode_review({reinterpret_cast<const char*>(data), size});
  if (!review.ok()) {
    if (review.error().reason.empty()) paddock::panic("a refusal without a reason");
  } else if (review->text("kind").empty()) {
    paddock::panic("a review of no kind");
  }
  return 0;
}
