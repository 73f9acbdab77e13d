// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// A client's session that has ended, of which the client still has to be told (OpenID Connect Back-Channel Logout).
///
/// It has no reference to the account, which may have been deleted.
package struct ClientNotice: Sendable, Hashable {
    /// The time for which the server tries to tell the client.
    package static let lifetime: TimeInterval = 3600

    /// The device that was signed out.
    package let deviceID: [UInt8]
    package let clientID: String
    package let accountID: String
    /// The first device of the browser's session; nil for a session without a browser.
    package let browserDevice: [UInt8]?
    /// The number of attempts, with the present one.
    package let attempts: Int
    package let expiresAt: Date

    package init(
        deviceID: [UInt8], clientID: String, accountID: String, browserDevice: [UInt8]?, attempts: Int = 0,
        expiresAt: Date
    ) {
        self.deviceID = deviceID
        self.clientID = clientID
        self.accountID = accountID
        self.browserDevice = browserDevice
        self.attempts = attempts
        self.expiresAt = expiresAt
    }
}
