// SPDX-License-Identifier: Apache-2.0

/// The effects of an action on an account.
package struct AccountActionResult: Sendable, Hashable {
    /// The number of devices that were signed out.
    package var signedOut = 0
    /// Whether a second factor was removed.
    package var hadFactor = false
    /// Whether a link to a provider was removed.
    package var hadLink = false
    /// Whether a passkey was removed.
    package var hadPasskeys = false
    /// Whether the device was signed in.
    package var hadDevice = false

    package init(signedOut: Int = 0, hadFactor: Bool = false, hadLink: Bool = false, hadPasskeys: Bool = false) {
        self.signedOut = signedOut
        self.hadFactor = hadFactor
        self.hadLink = hadLink
        self.hadPasskeys = hadPasskeys
    }
}
