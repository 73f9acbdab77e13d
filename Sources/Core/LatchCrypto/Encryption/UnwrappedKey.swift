// SPDX-License-Identifier: Apache-2.0

extension SymmetricKey {
    /// Creates a key from decrypted or derived bytes, and overwrites them.
    package init(wiping bytes: inout [UInt8]) {
        self.init(data: bytes)
        wipe(&bytes)
    }
}
