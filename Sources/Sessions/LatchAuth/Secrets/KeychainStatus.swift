// SPDX-License-Identifier: Apache-2.0

/// The result codes of Apple's keychain (SecBase.h), mapped to errors.
///
/// It is separate from the keychain so that the table can be tested on other platforms.
package enum KeychainStatus {
    /// The item does not exist: the only code that means an empty store.
    static let itemNotFound: Int32 = -25_300
    /// The item exists already.
    static let duplicateItem: Int32 = -25_299

    /// Returns the error for a code that is neither success nor `itemNotFound`.
    package static func error(for status: Int32) -> AuthError {
        let kind: AuthError =
            switch status {
            // Interaction not allowed: before the first unlock, or in the background.
            case -25_308: .storeLocked
            // Authentication failed; cancelled by the user; entitlement missing; permission denied; read-only.
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
