// SPDX-License-Identifier: Apache-2.0

/// What the result codes of Apple's keychain mean for a session (SecBase.h).
///
/// It is apart from the keychain so that the table can be tested where there is none.
package enum KeychainStatus {
    /// The operation succeeded.
    package static let success: Int32 = 0
    /// There is no such item: the only code that means "nothing kept".
    package static let itemNotFound: Int32 = -25_300
    /// There is such an item already.
    package static let duplicateItem: Int32 = -25_299

    /// The error for a code that is neither success nor "no such item".
    package static func error(for status: Int32) -> AuthError {
        let kind: AuthError =
            switch status {
            // Interaction not allowed: before the first unlock, or in the background.
            case -25_308: .storeLocked
            // Authentication failed; cancelled by the person; entitlement missing; permission denied; read-only.
            case -25_293, -128, -34_018, -61, -25_292: .storeDenied
            // Unable to decode; data too old or damaged.
            case -26_275, -26_276, -67_608: .storeCorrupt
            // Disk full; failed to allocate.
            case -34, -108: .storeFull
            default: .storeUnavailable
            }
        return .store(kind, "keychain status \(status)")
    }
}
