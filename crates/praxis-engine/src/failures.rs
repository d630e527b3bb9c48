//! A model's failure as sessions keep it.

use std::collections::BTreeMap;

use praxis_llm::failure::{Class, Failure as Refused};
use praxis_proto::{ApiFailure, Failure};

/// The failure as it is stored with a message and shown to clients.
pub(crate) fn stored(refused: &Refused) -> Failure {
    let message = refused.message.clone();
    match refused.class {
        Class::Auth => Failure::Auth { provider: refused.provider.clone(), message },
        Class::Overflow => Failure::ContextOverflow { message, response_body: refused.body.clone() },
        Class::ContentFilter => Failure::ContentFilter { message },
        Class::Cancelled => Failure::aborted(message),
        Class::Quota
        | Class::Rate
        | Class::Overload
        | Class::BadRequest
        | Class::Network
        | Class::Timeout
        | Class::Protocol
        | Class::Unknown => Failure::Api(ApiFailure {
            message,
            status_code: refused.status,
            is_retryable: refused.retryable,
            response_headers: (!refused.headers.is_empty())
                .then(|| refused.headers.iter().cloned().collect::<BTreeMap<_, _>>()),
            response_body: refused.body.clone(),
            metadata: refused.code.clone().map(|code| BTreeMap::from([("code".to_owned(), code)])),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_done_about_a_failure_decides_its_name() {
        let of = |class| stored(&Refused::new(class, "p", "m"));
        assert_eq!(of(Class::Auth), Failure::Auth { provider: "p".into(), message: "m".into() });
        assert_eq!(of(Class::Cancelled), Failure::aborted("m"));
        assert_eq!(
            of(Class::Overflow),
            Failure::ContextOverflow { message: "m".into(), response_body: None }
        );
        let rate = Refused {
            status: Some(429),
            code: Some("slow".into()),
            headers: vec![("retry-after".into(), "1".into())],
            body: Some("b".into()),
            ..Refused::new(Class::Rate, "p", "m")
        };
        let kept = ApiFailure {
            message: "m".into(),
            status_code: Some(429),
            is_retryable: true,
            response_headers: Some(BTreeMap::from([("retry-after".into(), "1".into())])),
            response_body: Some("b".into()),
            metadata: Some(BTreeMap::from([("code".into(), "slow".into())])),
        };
        assert_eq!(stored(&rate), Failure::Api(kept));
    }
}
