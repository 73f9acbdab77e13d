// SPDX-License-Identifier: Apache-2.0

import FoundationBridge
import LatchAuth
import LatchCore
import LatchHTTP

/// The refresh of a session by the application's closure.
enum TokenRefresh {
    /// A closure that obtains successors of tokens.
    typealias Closure = @Sendable (AuthTokens) async throws -> AuthTokens

    /// Runs the closure of the client in use, or `fallback` outside of a client's calls.
    ///
    /// - Throws: `AuthError.reauthenticationRequired` if the issuer refuses, which ends the session; a
    ///   `RefreshFailure` for anything else, which does not.
    static func run(_ request: RefreshRequest<AuthTokens>, fallback: @escaping Closure) async throws -> AuthTokens {
        let refresh = DependencyValues.scoped?.refresh ?? fallback
        do {
            return try await RefreshAttempt.run(
                of: ActiveRefreshes.sessions.last, idempotencyKey: request.idempotencyKey
            ) {
                try await refresh(request.credential)
            }
        } catch {
            if endsSession(error) { throw AuthError.reauthenticationRequired.caused(by: error) }
            throw error is CancellationError ? error : RefreshFailure(cause: error)
        }
    }

    /// Whether the issuer, or the application, reports by `error` that the session is over.
    private static func endsSession(_ error: any Error) -> Bool {
        switch error {
        case AuthError.reauthenticationRequired: true
        case let error as AuthTokens.Error: error != .missingToken
        case HTTPRequestClient.Error.badResponse(_, let status, let body): endsSession(status, Array(body.utf8))
        case let error as HTTPError: error.response.map { endsSession($0.status.rawValue, $0.body.bytes) } ?? false
        default: false
        }
    }

    /// RFC 6749 §5.2: 400 is also the status of mistakes in the request, which end nothing.
    private static func endsSession(_ status: Int, _ body: [UInt8]) -> Bool {
        status == 401
            || status == 400 && (try? JSONValue(parsing: body))?["error"]?.stringValue == "invalid_grant"
    }
}

extension HTTPRequestClient.Error: IssuerError {
    /// Whether the request may have used up the refresh token, and the response to it was lost.
    package var mayHaveArrived: Bool {
        switch self {
        case .badResponse(_, let status, _): status == 502 || status == 504
        case .decodingError, .invalidHTTPResponse: true
        case .other(_, let error): (error as? any IssuerError)?.mayHaveArrived ?? false
        }
    }
}
