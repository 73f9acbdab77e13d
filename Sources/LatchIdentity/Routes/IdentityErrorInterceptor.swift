// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// Answers errors in the shape of seed 002's backend: `{"message": …}`, with a code for programs and a hint for people.
///
/// What went wrong inside is not told: a client's own errors show their message, a store's error only that it is one.
struct IdentityErrorInterceptor: Interceptor {
    /// Other errors pass, to the server, which answers 500 and tells nobody why.
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        do {
            return try await next.respond(to: request)
        } catch let error as IdentityError {
            return .failure(error)
        } catch let error as ServerError where error.status.isClientError {
            return .failure(error.status, code: error.code, message: error.message, hint: error.hint)
        }
    }
}

extension HTTPResponse {
    /// An error as a client may see it: its own mistakes in full, the server's own only by the fact.
    ///
    /// A code that a client cannot act upon is replaced by `unavailable`, so that codes of the store are no interface.
    static func failure(_ error: IdentityError) -> HTTPResponse {
        let status = error.status
        let isTold = status.isClientError || error.isToldToClients
        var response = failure(
            status, code: isTold ? error.code : "unavailable",
            message: isTold ? error.message : "The server cannot do this now.",
            hint: isTold ? error.hint : "Try again later; the server's operator can see why.")
        if let retryAfter = error.retryAfter {
            // RFC 9110 §10.2.3: whole seconds; rounded up, so that the next attempt is not early.
            let seconds = max(Int(retryAfter.inSeconds.rounded(.up)), 1)
            response.fields[.retryAfter] = String(seconds)
            if let limit = error.limit {
                // draft-ietf-httpapi-ratelimit-headers-10 §3 and §4.
                response.fields["RateLimit-Policy"] = "\"\(limit.name)\";q=\(limit.capacity);w=\(Int(limit.window))"
                response.fields["RateLimit"] = "\"\(limit.name)\";r=0;t=\(seconds)"
            }
        }
        // RFC 9110 §15.5.2 asks for a challenge with each 401; RFC 6750 §3 is the one of bearer tokens.
        if status == .unauthorized {
            let isBearer = error.code == IdentityError.invalidToken.code
            response.fields[.wwwAuthenticate] = isBearer ? #"Bearer error="invalid_token""# : "Bearer"
        }
        return response
    }

    /// The body that every failure has.
    ///
    /// - Parameter code: Stable between versions; programs compare it, never the message.
    static func failure(_ status: HTTPStatus, code: String, message: String, hint: String?) -> HTTPResponse {
        var body: JSONObject = ["message": .string(message), "code": .string(code)]
        if let hint { body["hint"] = .string(hint) }
        return .json(body, status: status)
    }
}

extension IdentityError {
    /// The status with which a request ends that ended in this error.
    ///
    /// An error that is not named here is the server's own: 503, which clients repeat, and not 500, which they give up
    /// on.
    fileprivate var status: HTTPStatus {
        switch code {
        case Self.invalidInput.code, Self.weakPassword.code, Self.invalidLink.code: .badRequest
        case Self.invalidCredentials.code, Self.invalidToken.code, Self.invalidGrant.code: .unauthorized
        case Self.forbidden.code: .forbidden
        case Self.alreadyExists.code: .conflict
        case Self.contentTooLarge.code: .contentTooLarge
        case Self.notJSON.code: .unsupportedMediaType
        case Self.tooManyAttempts.code: .tooManyRequests
        default: .serviceUnavailable
        }
    }

    /// Errors of the server that name no path and no table, and tell a client when to come back.
    fileprivate var isToldToClients: Bool {
        [Self.overloaded, .storeBusy, .storeClosed, .storeFull, .notReady].contains { $0.code == code }
    }
}
