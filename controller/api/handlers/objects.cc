#include "controller/api/handlers/objects.h"

#include "controller/k8s/objects.h"

namespace paddock::api {
namespace {

constexpr int64_t kLongestPage = 100'000;

k8s::Labels common_fields(const contracts::ObjectMeta& meta) {
  return {{"metadata.name", meta.name}, {"metadata.namespace", meta.name_space}};
}

}  // namespace

k8s::Labels selectable_fields(const contracts::Run& run) {
  k8s::Labels fields = common_fields(run.metadata);
  fields["status.phase"] = wire::enum_name(run.status.phase);
  fields["status.nodeName"] = run.status.node_name;
  fields["spec.workspace"] = run.spec.workspace;
  return fields;
}

k8s::Labels selectable_fields(const contracts::Workspace& workspace) {
  return common_fields(workspace.metadata);
}
k8s::Labels selectable_fields(const contracts::Volume& volume) {
  return common_fields(volume.metadata);
}
k8s::Labels selectable_fields(const contracts::Node& node) { return common_fields(node.metadata); }

void complete(Call& call, contracts::Node& node) {
  if (const auto seen = call.services.leases.last_seen(node.metadata.name))
    node.status.last_seen = wire::Timestamp{*seen};
}

Result<ListQuery> parse_list_query(Call& call, const k8s::Labels& fields) {
  const Request& request = call.request;
  if (flag_parameter(request, "watch")) {
    return Error{
        Code::kInvalidArgument, "METHOD_NOT_ALLOWED",
        "watching is not supported; a run's events can be followed at …/runs/{name}/events"};
  }
  ListQuery query;
  std::vector<std::string> supported;
  for (const auto& [name, value] : fields) supported.push_back(name);
  ASSIGN_OR_RETURN(query.labels,
                   k8s::parse_label_selector(request.parameter("labelSelector").value_or("")));
  ASSIGN_OR_RETURN(query.fields, k8s::parse_field_selector(
                                     request.parameter("fieldSelector").value_or(""), supported));
  ASSIGN_OR_RETURN(const std::optional<int64_t> limit,
                   integer_parameter(request, "limit", 0, kLongestPage));
  query.options.limit = limit.value_or(0);
  if (!call.param("ns").empty()) query.options.name_space = call.param("ns");
  const std::string token = request.parameter("continue").value_or("");
  if (!token.empty()) {
    ASSIGN_OR_RETURN(query.options.after, k8s::continue_after(token));
  }
  query.include = k8s::parse_include_object(request.parameter("includeObject").value_or(""));
  return query;
}

template <class T>
Result<T> new_object(Call& call) {
  TRY(refuse_dry_run(call.request, wire::Value()));
  ASSIGN_OR_RETURN(T object, wire::decode<T>(call.body));
  TRY(k8s::check_kind(object.api_version, object.kind, T::kKind));
  Random& random = call.services.random;
  ASSIGN_OR_RETURN(object.metadata,
                   k8s::new_metadata(object.metadata, {call.param("ns"), make_uuid(random),
                                                       make_suffix(random), call.now()}));
  object.status = {};
  return object;
}
template Result<contracts::Run> new_object(Call& call);
template Result<contracts::Workspace> new_object(Call& call);

Status check_preconditions(const wire::Value& options, const contracts::ObjectMeta& meta) {
  const std::string uid = options.text("preconditions.uid");
  const std::string version = options.text("preconditions.resourceVersion");
  if ((uid.empty() || uid == meta.uid) && (version.empty() || version == meta.resource_version))
    return {};
  return Error{Code::kConflict, "PRECONDITION_FAILED",
               "the object is not the one that the request means any more; read it again"};
}

}  // namespace paddock::api
