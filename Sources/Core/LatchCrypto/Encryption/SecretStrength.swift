// SPDX-License-Identifier: Apache-2.0

extension SymmetricKey {
    /// Creates a key from a secret that somebody has set.
    ///
    /// An empty one, such as of a variable that is not set, would be everybody's.
    ///
    /// - Throws: `CryptoError.unacceptableParameter` if it has fewer than 128 bits.
    package init(secret: [UInt8]) throws(CryptoError) {
        self.init(data: secret)
        try requireStrength()
    }

    /// Requires at least 128 bits.
    ///
    /// - Throws: `CryptoError.unacceptableParameter`.
    package func requireStrength() throws(CryptoError) {
        guard bitCount >= 128 else { throw .unacceptableParameter("a secret has fewer than 128 bits") }
    }
}
