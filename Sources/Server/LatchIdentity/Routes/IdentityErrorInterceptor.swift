// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// Answers errors in the shape of a surface.
///
/// What went wrong inside is not told: a client's own errors show their message, a store's error only that it is one.
struct IdentityErrorInterceptor: Interceptor {
    var shape = ErrorShape.message

    /// Other errors pass, to the server, which answers 500 and tells nobody why.
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        do {
            return try await next.respond(to: request)
        } catch let error as IdentityError {
            return .failure(error, as: shape)
        } catch let error as ServerError where error.status.isClientError {
            let told = IdentityError(code: error.code, message: error.message, hint: error.hint)
            return .failure(shape == .oauth ? .badRequest : error.status, told, as: shape)
        }
    }
}

extension HTTPResponse {
    /// An error as a client may see it: its own mistakes in full, the server's own only by the fact.
    ///
    /// A code that a client cannot act upon is replaced by `unavailable`, so that codes of the store are no interface.
    static func failure(
        _ error: IdentityError, as shape: ErrorShape = .message, with extra: JSONObject = [:]
    ) -> HTTPResponse {
        let status = error.status(in: shape)
        let isTold = status.isClientError || error.isToldToClients
        let told = isTold ? error : .unavailable
        // RFC 9110 §10.2.3: whole seconds; rounded up, so that the next attempt is not early.
        let wait = error.retryAfter.map { max(Int($0.inSeconds.rounded(.up)), 1) }
        var response = failure(status, told, as: shape, retryAfter: wait, with: extra)
        response.fields[.retryAfter] = wait.map(String.init)
        if let wait, let limit = error.limit {
            // draft-ietf-httpapi-ratelimit-headers-10 §3 and §4.
            response.fields["RateLimit-Policy"] = limit.policyField
            response.fields["RateLimit"] = "\"\(limit.name)\";r=0;t=\(wait)"
        }
        // RFC 9110 §15.5.2 asks for a challenge with each 401; RFC 6750 §3 is the one of bearer tokens.
        if status == .unauthorized { response.fields[.wwwAuthenticate] = error.challenge }
        return response
    }

    /// The body that every failure of a surface has.
    static func failure(
        _ status: HTTPStatus, _ told: IdentityError, as shape: ErrorShape, retryAfter: Int? = nil,
        with extra: JSONObject = [:]
    ) -> HTTPResponse {
        var body = shape.body(told, retryAfter: retryAfter)
        for (name, value) in extra { body[name] = value }
        return .json(body, status: status)
    }
}

extension IdentityError {
    /// The status with which a request ends that ended in this error.
    ///
    /// An error that is not named here is the server's own: 503, which clients repeat, and not 500, which they give up
    /// on.
    fileprivate func status(in shape: ErrorShape) -> HTTPStatus {
        switch code {
        // RFC 6749 §5.2: 400 but for an app that did not authenticate; 401 would ask for the app's credentials.
        case Self.invalidCredentials.code where shape == .oauth, Self.invalidGrant.code where shape == .oauth,
            Self.notJSON.code where shape == .oauth, Self.secondFactorRequired.code where shape == .oauth,
            Self.invalidCode.code where shape == .oauth:
            .badRequest
        case Self.invalidInput.code, Self.weakPassword.code, Self.invalidLink.code, Self.grantNotAllowed.code,
            Self.unsupportedGrant.code, Self.invalidScope.code:
            .badRequest
        case Self.unknownApp.code: .unauthorized
        case Self.invalidCredentials.code, Self.invalidToken.code, Self.invalidGrant.code, Self.invalidCode.code:
            .unauthorized
        // The password was right: 401 would ask for another one.
        case Self.forbidden.code, Self.insufficientScope.code, Self.secondFactorRequired.code, Self.signInAgain.code:
            .forbidden
        case Self.alreadyExists.code, Self.tooManyItems.code, Self.lastAdministrator.code, Self.noSecondFactor.code:
            .conflict
        case Self.noSuchItem.code, Self.noSuchAccount.code: .notFound
        case Self.contentTooLarge.code: .contentTooLarge
        case Self.notJSON.code: .unsupportedMediaType
        case Self.tooManyAttempts.code: .tooManyRequests
        default: .serviceUnavailable
        }
    }

    /// RFC 6750 §3 for tokens, RFC 7617 §2 for apps; a wrong password gets the name of the scheme alone.
    var challenge: String {
        switch code {
        case Self.invalidToken.code: #"Bearer error="invalid_token""#
        case Self.unknownApp.code: #"Basic realm="oauth", charset="UTF-8""#
        default: "Bearer"
        }
    }

    /// What is said of a failure that is nobody's business.
    static let unavailable = IdentityError(
        code: "unavailable", message: "The server cannot do this now.",
        hint: "Try again later; the server's operator can see why.")

    /// Errors of the server that name no path and no table, and tell a client when to come back.
    var isToldToClients: Bool {
        [Self.overloaded, .storeBusy, .storeClosed, .storeFull, .notReady].contains { $0.code == code }
    }
}
