// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchHTTP
package import LatchIdentityStorage
package import LatchRPC
package import LatchServer

/// The format of an error's content; the clients of each surface expect a different one.
package enum ErrorFormat: Sendable {
    /// `message`, `code` and `hint`, as in the backends of JWTAuth and AuthPackage, and the refused `field`.
    case message
    /// The members of `message`, and Lazi's `detail` and `error_code`.
    case detail
    /// The members of RFC 6749 §5.2, and Lazi's `detail` and `error_code`.
    case oauth
    /// A page in the user's language, for routes that a browser opens.
    case page(PageContext)

    /// Returns the format for a request; a page is in one of its languages.
    package func accepting(_ request: HTTPRequest) -> ErrorFormat {
        if case .page(let context) = self { .page(context.accepting(request)) } else { self }
    }

    var isOAuth: Bool { if case .oauth = self { true } else { false } }

    /// Returns the content for an error that clients may see; `retryAfter` is in seconds.
    fileprivate func body(_ error: IdentityError, _ form: ClientForm, retryAfter: Int?) -> JSONObject {
        var body: JSONObject = [:]
        switch self {
        case .message, .detail:
            body["message"] = .string(error.message)
            body["code"] = .string(error.code)
            if let hint = error.hint { body["hint"] = .string(hint) }
            if let field = error.field { body["field"] = .string(field) }
            if case .message = self { return body }
        // A page has no JSON content.
        case .page: return body
        case .oauth:
            body["error"] = .string(form.oauth)
            body["error_description"] = .string(error.oauthDescription)
        }
        body["detail"] = .string(error.message)
        body["error_code"] = .string(form.errorCode ?? Self.upperSnakeCase(error.code))
        if let retryAfter { body["retry_after"] = .integer(Int64(retryAfter)) }
        return body
    }

    /// Returns a code in the spelling of Lazi clients: an acronym is one word, so `notJSON` becomes `NOT_JSON`.
    package static func upperSnakeCase(_ code: String) -> String {
        let letters = Array(code.unicodeScalars)
        return letters.indices.reduce(into: "") { text, index in
            let isFirst = letters[index].properties.isUppercase && index > 0
            let followsCapital = isFirst && letters[index - 1].properties.isUppercase
            let precedesSmall = index + 1 < letters.count && letters[index + 1].properties.isLowercase
            if isFirst, !followsCapital || precedesSmall { text += "_" }
            text += letters[index].properties.uppercaseMapping
        }
    }
}

/// An interceptor that turns the errors of this module into responses in the format of its surface.
///
/// Other errors are left to the server, which responds with 500 without details.
package struct IdentityErrorInterceptor: Filter {
    package var format = ErrorFormat.message

    package init(format: ErrorFormat = ErrorFormat.message) {
        self.format = format
    }

    /// The route of a request, and the format of its errors.
    package struct Note: Sendable {
        package let route: MatchedRoute?
        package let format: ErrorFormat
    }

    package func filter(_ request: inout HTTPRequest) -> Filtering<Note> {
        .proceed(Note(route: request.context[MatchedRouteKey.self], format: format.accepting(request)))
    }

    package func complete(_ outcome: inout Outcome, _ note: consuming Note) {
        guard let failure = outcome.error else { return }
        let (route, format) = (note.route, note.format)
        if let error = failure as? IdentityError {
            route?.note(error)
            if format.isOAuth { route?.noteRefusal(error) }
            outcome.recover(by: .failure(error, as: format))
        } else if let error = failure as? ServerError, error.status.isClientError {
            let form = ClientForm(
                status: error.status, oauth: "invalid_request", oauthStatus: .badRequest, rpc: .invalidArgument)
            let shown = IdentityError(code: error.code, message: error.message, hint: error.hint, form: form)
            if format.isOAuth { route?.noteRefusal(shown) }
            outcome.recover(by: .failure(shown, as: format))
        }
    }
}

extension HTTPResponse {
    /// Returns an error response: a client's mistake in full, an internal failure without its details.
    package static func failure(
        _ error: IdentityError, as format: ErrorFormat = .message, with extra: JSONObject = [:]
    ) -> HTTPResponse {
        let form = error.form
        if case .page(let context) = format {
            var response = context.failure(error)
            error.report(in: &response.fields)
            return response
        }
        let status = format.isOAuth ? form.oauthStatus ?? form.status : form.status
        let wait = error.retryAfterSeconds
        var body = format.body(error.disclosed, form, retryAfter: wait)
        for (name, value) in extra { body[name] = value }
        var response = json(body, status: status)
        error.report(in: &response.fields)
        // RFC 9110 §15.5.2 requires a challenge with each 401.
        if status == .unauthorized { response.fields[.wwwAuthenticate] = form.challenge }
        return response
    }
}

extension HTTPRequest {
    /// Returns the page of an error, and notes a failure of the server.
    package func page(of error: IdentityError, in context: PageContext) -> HTTPResponse {
        note(error)
        return context.accepting(self).failure(error)
    }

    /// Notes a failure of the server that a page shows, for the log and the metrics.
    package func note(_ error: IdentityError) { context[MatchedRouteKey.self]?.note(error) }

    /// Notes the error of an OAuth request for the log, for a client's mistake and for a failure of the server.
    func noteRefusal(_ error: IdentityError) {
        note(error)
        context[MatchedRouteKey.self]?.noteRefusal(error)
    }
}

extension MatchedRoute {
    /// Notes the code of a failure of the server; an error of the client is ignored.
    fileprivate func note(_ error: IdentityError) {
        if error.isFailureOfServer { failure = error.code }
    }

    /// Notes the OAuth code of a refusal and the name of the parameter; a failure of the server is ignored.
    fileprivate func noteRefusal(_ error: IdentityError) {
        guard !error.isFailureOfServer else { return }
        refusal = error.field.map { "\(error.form.oauth):\($0)" } ?? error.form.oauth
    }
}

extension CallContext {
    /// The field with the stable code of an error, since RPCs have only sixteen codes.
    static let codeField: HTTPFieldName = "latch-code"
    /// The field with the JSON name of the request's refused field.
    static let refusedField: HTTPFieldName = "latch-field"

    /// Returns the RPC error for an error, and adds its code, waiting time and challenge to the response metadata.
    ///
    /// A failure of the server is noted for the log and the metrics, since over gRPC its response has the status 200.
    package func failure(_ error: IdentityError) -> RPCError {
        http[MatchedRouteKey.self]?.note(error)
        let disclosed = error.disclosed
        responseMetadata[Self.codeField] = disclosed.code
        responseMetadata[Self.refusedField] = disclosed.field?.jsonFieldName
        error.report(in: &responseMetadata)
        // Connect responds with 401, and RFC 9110 §15.5.2 requires a challenge with each 401.
        if error.form.rpc == .unauthenticated { responseMetadata[.wwwAuthenticate] = error.form.challenge }
        return RPCError(error.form.rpc, disclosed.hint.map { "\(disclosed.message) \($0)" } ?? disclosed.message)
    }

    /// Notes a failure of the server outside of a method: an unexpected error, or a response that cannot be encoded.
    ///
    /// A malformed request is also `.internal` in some protocols, but it has no cause.
    package func noteFailure(_ error: RPCError) {
        guard error.status == .internal, let cause = error.cause else { return }
        guard let route = http[MatchedRouteKey.self], route.failure == nil else { return }
        route.failure = cause.codeOrType
    }
}

extension IdentityError {
    /// The error as clients see it.
    fileprivate var disclosed: IdentityError { form.isDisclosed ? self : .unavailable }

    /// Sets the fields that report the exhausted limit, when the request may be repeated, and with which nonce.
    fileprivate func report(in fields: inout HTTPFields) {
        let wait = retryAfterSeconds
        fields[.retryAfter] = wait.map(String.init)
        if let proofNonce {
            fields[.dpopNonce] = proofNonce
            // RFC 9449 §8.2: a cache would send the nonce to other clients.
            fields[.cacheControl] = "no-store"
        }
        guard let wait, let limit else { return }
        // draft-ietf-httpapi-ratelimit-headers-10 §3 and §4.
        fields[.rateLimitPolicy] = limit.policyField
        fields[.rateLimit] = limit.field(left: 0, until: wait)
    }

    /// The waiting time in whole seconds (RFC 9110 §10.2.3), rounded up so that the next attempt is not early.
    var retryAfterSeconds: Int? { retryAfter.map { max(Int($0.inSeconds.rounded(.up)), 1) } }
}
