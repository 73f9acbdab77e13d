// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
public import Foundation
public import LatchUI

extension ScreenFailure {
    /// Creates the failure for an error of the package's client.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isSignIn: Whether the request contained a password, which `unauthorized` then rejects. Otherwise
    ///     `unauthorized` means that the session has ended.
    ///   - retryAfter: The pause that the backend requested with the error; nil for a minute.
    ///   - now: The date of the error.
    public init(_ error: APIError, isSignIn: Bool, retryAfter: Duration? = nil, at now: Date = Date()) {
        switch error {
        case .network(let error):
            self.init(error.code == .secureConnectionFailed ? .insecure : .offline)
        case .unauthorized: self.init(isSignIn ? .wrongCredentials : .signedOut)
        // 429 Too Many Requests (RFC 6585 §4). The default delay is one minute, so that a lock always ends.
        case .server(429, _): self.init(.locked, after: max(retryAfter ?? .seconds(60), .seconds(1)), from: now)
        case .server(let status, _): self.init(Self.reason(ofStatus: status, isSignIn: isSignIn))
        case .decodingFailed: self.init(.serverFailed)
        case .cancelled: self.init(.cancelled)
        case .invalidURL, .unknown: self.init(.unknown)
        }
    }

    private static func reason(ofStatus status: Int, isSignIn: Bool) -> Reason {
        switch status {
        // The Express backend answers a wrong address or password with 400.
        case 400 where isSignIn: .wrongCredentials
        case 403: .forbidden
        case 404: .missing
        case 409: .taken
        case 500...: .serverFailed
        default: .refused
        }
    }
}
