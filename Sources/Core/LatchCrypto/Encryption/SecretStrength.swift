// SPDX-License-Identifier: Apache-2.0

extension SymmetricKey {
    /// Creates a key from a configured secret.
    ///
    /// An empty secret, such as the value of an unset variable, is known to everyone.
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
