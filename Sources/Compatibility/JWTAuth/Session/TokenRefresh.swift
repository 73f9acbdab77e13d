// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundationBridge
import LatchHTTP

/// The refresh of a session by the application's closure.
enum TokenRefresh {
    /// A closure that obtains new tokens for old ones.
    typealias Closure = @Sendable (AuthTokens) async throws -> AuthTokens

    /// The tokens that the running closure replaces.
    @TaskLocal private static var replaced: AuthTokens?

    /// Whether `tokens` are new in the running closure.
    ///
    /// This device's clock cannot determine whether they have expired, because it may be wrong. The issuer still
    /// refreshes only these tokens.
    static func hasObtained(_ tokens: AuthTokens) -> Bool { replaced.map { $0.access != tokens.access } ?? false }

    /// Runs the closure of the client in use, or `fallback` outside of a client's calls.
    ///
    /// - Throws: `AuthError.reauthenticationRequired` if the issuer refuses, which ends the session. Any other error is
    ///   a `RefreshFailure`, which does not.
    static func run(_ request: RefreshRequest<Tokens>, fallback: @escaping Closure) async throws -> Tokens {
        let refresh = AuthDependencies.scoped?.refresh ?? fallback
        let old = AuthTokens(request.credential)
        do {
            return try await RefreshAttempt.run(
                of: ActiveRefreshes.sessions.last, idempotencyKey: request.idempotencyKey
            ) {
                try await $replaced.withValue(old) {
                    let fresh = try await refresh(old)
                    await AuthDependencies.scoped?.account.learnClock(from: fresh)
                    return fresh
                }
            }.core
        } catch {
            let refusal = refusal(of: error)
            if refusal == .issuer { throw AuthError.reauthenticationRequired.caused(by: error) }
            throw error is CancellationError ? error : RefreshFailure(cause: error, isDoubtfulEnd: refusal != nil)
        }
    }

    /// Returns the refusal of the session, if `error` is one by the issuer or the application.
    private static func refusal(of error: any Error) -> RefreshRefusal? {
        switch error {
        case AuthError.reauthenticationRequired: .issuer
        case let error as AuthTokens.Error: error == .missingToken ? nil : .issuer
        case HTTPRequestClient.Error.badResponse(_, let status, let body):
            HTTPResponse(status: HTTPStatus(rawValue: status), body: HTTPBody(body)).refreshRefusal
        case let error as HTTPError: error.response?.refreshRefusal
        default: nil
        }
    }
}

extension HTTPRequestClient.Error: IssuerError {
    /// Whether the request may have used up the refresh token although its response was lost.
    package var mayHaveArrived: Bool {
        switch self {
        case .badResponse(_, let status, _): status == 502 || status == 504
        case .decodingError, .invalidHTTPResponse: true
        case .other(_, let error): (error as? any IssuerError)?.mayHaveArrived ?? false
        }
    }
}
