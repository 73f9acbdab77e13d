// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP
import LatchOAuth

/// An error of a login.
///
/// If the device cannot store the tokens, `login` throws LatchAuth's `AuthError` instead, with a `store…` code. If the
/// account has a second factor, `login` throws LatchAccounts' `AccountError.secondFactorRequired`, or `wrongCode`.
public enum OAuthError: Error {
    /// The server's URL is malformed, or plain http to another machine.
    case invalidURL
    /// The response is not that of a token endpoint.
    case invalidResponse
    /// The server rejected the login without giving a reason.
    case authenticationFailed
    /// The server rejected the login, or failed, with this message.
    case serverError(String)
    /// The server could not be reached.
    case networkError(any Error)
}

extension OAuthError: LocalizedError {
    /// A description for users; it contains no secret.
    public var errorDescription: String? {
        switch self {
        case .invalidURL: "Invalid server URL"
        case .invalidResponse: "Invalid response from server"
        case .authenticationFailed: "Authentication failed. Please check your credentials."
        case .serverError(let message): message
        case .networkError(let error):
            "Network error: \((error as? HTTPError)?.message ?? "the server could not be reached.")"
        }
    }
}

extension OAuthError {
    /// Converts an error of the core; one without an equivalent is unchanged.
    static func map(_ error: any Error) -> any Error {
        switch error {
        case let error as LatchOAuth.OAuthError where error.issuerCode == "mfa_required":
            AccountError.secondFactorRequired
        case let error as LatchOAuth.OAuthError: OAuthError(error)
        case HTTPError.invalidURL, HTTPError.insecureURL: invalidURL
        case HTTPError.malformedMessage, HTTPError.undecodable, HTTPError.tooLarge: invalidResponse
        case let error as HTTPError: error == .cancelled ? CancellationError() : networkError(error)
        case let error as AuthError where error == .refreshFailed || error == .reauthenticationRequired:
            error.cause.map(map) ?? authenticationFailed
        case AuthError.missingToken: authenticationFailed
        default: error
        }
    }

    /// Maps a response by the server's error; without one, by whether the server rejected the request or failed.
    private init(_ error: LatchOAuth.OAuthError) {
        typealias Core = LatchOAuth.OAuthError
        switch error {
        case Core.invalidResponse, Core.unacceptableTokenType: self = .invalidResponse
        case Core.tooManyRequests, Core.temporarilyUnavailable, Core.serverFailed, Core.unrequestedScope:
            self = .serverError(error.issuerMessage ?? error.message)
        default: self = error.issuerMessage.map(OAuthError.serverError) ?? .authenticationFailed
        }
    }
}
