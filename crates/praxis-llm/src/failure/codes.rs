//! Codes of providers and what they mean.

use super::Class;

/// Codes as providers spell them, in lower case.
const CODES: &[(&str, Class)] = &[
    ("context_length_exceeded", Class::Overflow),
    ("model_context_window_exceeded", Class::Overflow),
    ("request_too_large", Class::Overflow),
    ("insufficient_quota", Class::Quota),
    ("usage_not_included", Class::Quota),
    ("usage_limit_reached", Class::Quota),
    ("billing_error", Class::Quota),
    ("billing_hard_limit_reached", Class::Quota),
    ("billing_not_active", Class::Quota),
    ("insufficient_credits", Class::Quota),
    ("insufficient_balance", Class::Quota),
    ("rate_limit_error", Class::Rate),
    ("rate_limit_exceeded", Class::Rate),
    ("rate_limit", Class::Rate),
    ("too_many_requests", Class::Rate),
    ("resource_exhausted", Class::Rate),
    ("throttling", Class::Rate),
    ("overloaded_error", Class::Overload),
    ("server_is_overloaded", Class::Overload),
    ("server_error", Class::Overload),
    ("slow_down", Class::Overload),
    ("api_error", Class::Overload),
    ("internal", Class::Overload),
    ("internal_error", Class::Overload),
    ("internal_server_error", Class::Overload),
    ("unavailable", Class::Overload),
    ("service_unavailable", Class::Overload),
    ("engine_overloaded", Class::Overload),
    ("timeout", Class::Timeout),
    ("timeout_error", Class::Timeout),
    ("request_timeout", Class::Timeout),
    ("deadline_exceeded", Class::Timeout),
    ("authentication_error", Class::Auth),
    ("permission_error", Class::Auth),
    ("invalid_api_key", Class::Auth),
    ("invalid_authentication", Class::Auth),
    ("unauthenticated", Class::Auth),
    ("unauthorized", Class::Auth),
    ("permission_denied", Class::Auth),
    ("content_filter", Class::ContentFilter),
    ("content_policy_violation", Class::ContentFilter),
    ("moderation_blocked", Class::ContentFilter),
    ("safety", Class::ContentFilter),
    ("prohibited_content", Class::ContentFilter),
    ("data_inspection_failed", Class::ContentFilter),
    ("invalid_prompt", Class::BadRequest),
    ("invalid_request_error", Class::BadRequest),
    ("invalid_argument", Class::BadRequest),
    ("failed_precondition", Class::BadRequest),
    ("model_not_found", Class::BadRequest),
    ("not_found_error", Class::BadRequest),
    ("not_found", Class::BadRequest),
    ("connection_closed", Class::Network),
    ("tls", Class::Network),
    ("garbage", Class::Protocol),
    ("content_type", Class::Protocol),
];

/// What a code means, if it is known; a number is a status.
pub(super) fn class(code: &str) -> Option<Class> {
    let lower = code.to_ascii_lowercase();
    let known = CODES.iter().find(|(known, _)| *known == lower).map(|(_, class)| *class);
    known.or_else(|| lower.parse().ok().filter(|status| (400..600).contains(status)).map(of_status))
}

/// What a status means when nothing else is known.
pub(super) fn of_status(status: u16) -> Class {
    match status {
        401 | 403 | 407 => Class::Auth,
        402 => Class::Quota,
        408 | 504 | 524 => Class::Timeout,
        413 => Class::Overflow,
        425 | 429 => Class::Rate,
        451 => Class::ContentFilter,
        500.. => Class::Overload,
        _ => Class::BadRequest,
    }
}

/// What a status is called.
pub(super) fn phrase(status: u16) -> &'static str {
    match status {
        301 | 302 | 303 | 307 | 308 => "Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Payload Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        524 => "A Timeout Occurred",
        529 => "Overloaded",
        _ if status >= 500 => "Server Error",
        _ => "Request Failed",
    }
}
