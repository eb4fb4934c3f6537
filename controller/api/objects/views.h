// How stored objects are shown to clients: each kind as itself. pods.h shows runs as another kind.
// A view is what lists, reads and watches are made for; one that can be written also says what a
// caller's document becomes.
#pragma once

#include <concepts>

#include "controller/api/objects/kind.h"
#include "controller/api/objects/watch.h"
#include "controller/api/server/documents.h"
#include "controller/k8s/columns.h"
#include "controller/k8s/objects.h"
#include "controller/k8s/resources.h"
#include "controller/k8s/table.h"

namespace paddock::api {

// The document that a caller wrote, and the warnings for the answer.
struct Written {
  const wire::Value& document;
  FieldValidation validation = FieldValidation::kStrict;
  std::vector<std::string>& warnings;
};

template <ReadableKind T>
struct Itself {
  using Stored = T;
  static constexpr const char* kKind = T::kKind;
  static constexpr const char* kApiVersion = contracts::kApiVersion;
  static constexpr bool kShownAsStored = KindTraits<T>::kStoredWhole;
  static wire::Value object(const T& stored) { return wire::encode(stored); }
  static wire::Value cells(const T& stored, WallTime now) { return k8s::cells(stored, now); }
  static wire::Value columns() { return k8s::columns(T::kKind); }
  static const k8s::Labels& labels(const T& stored) { return stored.metadata.labels; }
  static k8s::Labels fields(const T& stored) { return KindTraits<T>::selectable_fields(stored); }

  static const k8s::Resource& resource() { return k8s::resource_of(T::kKind); }
  // The object that it describes.
  static Result<T> made(const Services&, const Written& written) {
    ASSIGN_OR_RETURN(T object,
                     decode_object<T>(written.document, written.validation, written.warnings));
    TRY(k8s::check_kind(object.api_version, object.kind, resource()));
    return object;
  }
  // The object that the document makes of `T`, the stored one.
  static Result<T> changed(const Services& services, const T&, const Written& written) {
    return made(services, written);
  }
  // For views that show a document as it was written: keeps it in the object's status.
  static void keep(const wire::Value&, T&) {}
};

// The answer that shows one object.
template <class View>
Response view_response(const typename View::Stored& stored, int status = 200) {
  if constexpr (std::same_as<View, Itself<typename View::Stored>>) {
    return object_response(stored, status);
  } else {
    return json_response(View::object(stored), status);
  }
}

}  // namespace paddock::api
