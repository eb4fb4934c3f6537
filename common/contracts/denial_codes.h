// The stable codes of refusals that programs branch on, in the one place that says them: the server
// answers with these, and clients compare with these.
#pragma once

#include <array>
#include <string_view>

namespace paddock::contracts {

// Tool tokens. 401: who is it?  403: it is known, and may not.
inline constexpr std::string_view kToolTokenMissing = "TOOL_TOKEN_MISSING";
inline constexpr std::string_view kToolTokenInvalid = "TOOL_TOKEN_INVALID";
inline constexpr std::string_view kToolTokenExpired = "TOOL_TOKEN_EXPIRED";
inline constexpr std::string_view kToolEndpointDenied = "TOOL_ENDPOINT_DENIED";
inline constexpr std::string_view kToolOperationDenied = "TOOL_OPERATION_DENIED";
inline constexpr std::string_view kToolRunDenied = "TOOL_RUN_DENIED";
inline constexpr std::string_view kToolTokenNotNarrower = "TOOL_TOKEN_NOT_NARROWER";

// The media policy of a run. 403.
inline constexpr std::string_view kMediaExecutionDisabled = "MEDIA_EXECUTION_DISABLED";
inline constexpr std::string_view kMediaSurfaceDenied = "MEDIA_SURFACE_DENIED";
inline constexpr std::string_view kMediaModelDenied = "MEDIA_MODEL_DENIED";
inline constexpr std::string_view kMediaPolicyUnavailable = "MEDIA_POLICY_UNAVAILABLE";
inline constexpr std::array kMediaPolicyDenialCodes = {kMediaExecutionDisabled, kMediaSurfaceDenied,
                                                       kMediaModelDenied};

}  // namespace paddock::contracts
