// The stable codes with which tool tokens and the media policy refuse. Agents' programs branch on
// them, so a code stays what it is.
#pragma once

#include "common/base/reason.h"

namespace paddock::auth {

// Tool tokens. 401: who is it?  403: it is known, and may not.
inline constexpr Reason kToolTokenMissing = "TOOL_TOKEN_MISSING";
inline constexpr Reason kToolTokenInvalid = "TOOL_TOKEN_INVALID";
inline constexpr Reason kToolTokenExpired = "TOOL_TOKEN_EXPIRED";
inline constexpr Reason kToolEndpointDenied = "TOOL_ENDPOINT_DENIED";
inline constexpr Reason kToolOperationDenied = "TOOL_OPERATION_DENIED";
inline constexpr Reason kToolRunDenied = "TOOL_RUN_DENIED";
inline constexpr Reason kToolTokenNotNarrower = "TOOL_TOKEN_NOT_NARROWER";

// The media policy of a run. 403.
inline constexpr Reason kMediaExecutionDisabled = "MEDIA_EXECUTION_DISABLED";
inline constexpr Reason kMediaSurfaceDenied = "MEDIA_SURFACE_DENIED";
inline constexpr Reason kMediaModelDenied = "MEDIA_MODEL_DENIED";
inline constexpr Reason kMediaPolicyUnavailable = "MEDIA_POLICY_UNAVAILABLE";

}  // namespace paddock::auth
