// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
import Foundation
public import LatchUI

extension ScreenFailure {
    /// Creates the failure of an error of the package's client.
    ///
    /// - Parameter isSignIn: Whether the request carried a password, so that `unauthorized` is about it; otherwise the session
    ///   is over.
    public init(_ error: APIError, isSignIn: Bool) {
        switch error {
        case .network(let error):
            self.init(error.code == .secureConnectionFailed ? .insecure : .offline)
        case .unauthorized: self.init(isSignIn ? .wrongCredentials : .signedOut)
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
        case 429: .locked
        case 500...: .serverFailed
        default: .refused
        }
    }
}
