// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension AuthTokens {
    /// What keeps tokens from being used.
    public enum Error: LocalizedError, Hashable, Sendable, CaseIterable {
        /// Nobody is signed in.
        case missingToken
        /// The access token is no JWT, or the issuer does not renew it: the person has to sign in again.
        case invalidToken
        /// The time of the access token is over.
        case expiredToken

        /// What happened, for a person.
        public var errorDescription: String? {
            switch self {
            case .missingToken: "The token seems to be missing."
            case .invalidToken: "The token is invalid."
            case .expiredToken: "The token is expired."
            }
        }

        /// What stands above the description where it is shown.
        public var title: String { "Session Error" }
    }
}
