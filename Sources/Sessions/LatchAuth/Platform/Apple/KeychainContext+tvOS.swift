// SPDX-License-Identifier: Apache-2.0

#if os(tvOS)
import Foundation
import Security

/// The user's authentication, which Apple TV does not have.
final class KeychainContext: Sendable {
    init(_ authentication: KeychainAuthentication) {}

    /// Returns no query terms.
    func terms() -> [CFString: Any] { [:] }

    /// Returns no query terms.
    func silentTerms() -> [CFString: Any] { [:] }

    /// Throws, because an Apple TV has no passcode.
    func requirePasscode() throws(AuthError) { throw KeychainStatus.passcodeMissing }
}
#endif
