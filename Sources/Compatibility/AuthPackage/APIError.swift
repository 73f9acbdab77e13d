// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth

/// The errors that AuthPackage documents.
public enum APIError: Error, Equatable {
    /// The URL cannot be requested.
    case invalidURL
    /// A failure of the connection: unreachable, too slow, or not trusted.
    case network(URLError)
    /// The backend rejected the request, or failed, with its own message.
    case server(status: Int, message: String?)
    /// The response could not be decoded.
    case decodingFailed
    /// The credentials are wrong, or the user is no longer signed in.
    case unauthorized
    /// The task or the user canceled the request.
    case cancelled
    /// Any other error, such as a store that cannot be used.
    case unknown
}

extension APIError {
    /// Converts an error of the core.
    init(_ error: any Error) {
        switch error {
        case let error as AccountError: self.init(error)
        case let error as HTTPError: self.init(error)
        case let error as OAuthError: self.init(error)
        case let error as APIError: self = error
        case AuthError.missingToken, AuthError.reauthenticationRequired, AuthError.superseded: self = .unauthorized
        case let error as AuthError:
            self = error.cause.map { APIError($0) } ?? .unknown
        case is CancellationError: self = .cancelled
        // Errors of the app's own transport or authenticator.
        case let error as URLError: self = error.code == .cancelled ? .cancelled : .network(error)
        default: self = .unknown
        }
    }

    /// Maps the end of a sign-in at another provider.
    private init(_ error: OAuthError) {
        switch error {
        case OAuthError.cancelled: self = .cancelled
        // These say nothing about the user: no page, a page that timed out, or a failure of the provider.
        case OAuthError.browserUnavailable, OAuthError.signInTimedOut, OAuthError.serverFailed,
            OAuthError.temporarilyUnavailable:
            self = .unknown
        // A denial, or a deep link that does not belong to this sign-in.
        default: self = .unauthorized
        }
    }

    /// Maps a rejection by the backend; a 401 is `unauthorized` for every call, as in the original.
    private init(_ error: AccountError) {
        switch (error.status, error) {
        case (_, AccountError.invalidResponse): self = .decodingFailed
        case (401?, _): self = .unauthorized
        case (let status?, _): self = .server(status: status.rawValue, message: error.serverMessage)
        case (nil, _): self = .unknown
        }
    }

    /// Maps a transport failure to the codes that programs already match for `URLSession`.
    private init(_ error: HTTPError) {
        switch error {
        case HTTPError.invalidURL, HTTPError.insecureURL: self = .invalidURL
        case HTTPError.timeout: self = .network(URLError(.timedOut))
        case HTTPError.offline: self = .network(URLError(.cannotConnectToHost))
        case HTTPError.tls: self = .network(URLError(.secureConnectionFailed))
        case HTTPError.malformedMessage: self = .network(URLError(.badServerResponse))
        case HTTPError.cancelled: self = .cancelled
        case HTTPError.undecodable: self = .decodingFailed
        // A gateway's 401 instead of the backend's does not sign the user out.
        case HTTPError.unacceptableStatus where error.response?.status == .unauthorized && !error.isDoubtfulEnd:
            self = .unauthorized
        default:
            self = error.response.map { .server(status: $0.status.rawValue, message: nil) } ?? .unknown
        }
    }
}

extension APIError: LocalizedError {
    /// What happened, and what a developer can do about it; `AuthClient.lastFailure` has more detail.
    public var errorDescription: String? {
        switch self {
        case .invalidURL:
            "The URL cannot be requested. Plain http is allowed only to this machine, unless AuthConfiguration has "
                + "allowingInsecureHTTP: .anyHostWithoutEncryption, as for a LAN address; a sign-in with a provider needs a redirectScheme."
        case .network(let error): "The backend cannot be reached: \(error.localizedDescription)"
        case .server(let status, let message): message.map { "\($0) (\(status))" } ?? "The backend answered \(status)."
        case .decodingFailed: "The backend's response is not what the client expects."
        case .unauthorized: "The credentials are wrong, or the user is no longer signed in."
        case .cancelled: "The request was canceled."
        case .unknown: "The request failed for a reason that AuthClient.lastFailure has."
        }
    }
}
