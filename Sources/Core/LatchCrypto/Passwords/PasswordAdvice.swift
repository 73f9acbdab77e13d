// SPDX-License-Identifier: Apache-2.0

/// What a user learns about a new password while typing it (NIST SP 800-63B-4 §3.1.1.2).
///
/// A password has a minimum length and must not be a common one. Rules of composition do not apply.
package enum PasswordAdvice: Hashable, Sendable {
    case short, common, accepted

    /// The minimum length in Unicode scalars, since the standard counts code points.
    package static let minimumLength = 8

    /// Judges a new password.
    ///
    /// - Parameter address: The email address of the account; an empty text if it is unknown.
    package init(on password: String, of address: String) {
        if password.unicodeScalars.count < Self.minimumLength {
            self = .short
        } else {
            self = CommonPassword.matches(password, knowing: CommonPassword.names(of: address)) ? .common : .accepted
        }
    }
}
