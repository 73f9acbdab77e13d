// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// An authentication context class, the value of `acr` (OpenID Connect Core §2): the number of factors.
package enum AuthenticationClass: String, Sendable, CaseIterable {
    case oneFactor = "1"
    /// A password and a code, or a passkey.
    case twoFactors = "2"

    /// The class of a session by the time at which its second factor was verified.
    package init(factorAt: Date?) { self = factorAt == nil ? .oneFactor : .twoFactors }
}
