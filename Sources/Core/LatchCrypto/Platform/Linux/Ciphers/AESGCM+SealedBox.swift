// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension AES.GCM {
    /// Twelve bytes that are used once under a key.
    public struct Nonce: Sendable, Hashable, RandomAccessCollection {
        let bytes: [UInt8]

        /// A fresh random nonce.
        public init() { bytes = SecureRandom.bytes(12) }

        /// A nonce of twelve bytes.
        ///
        /// - Throws: `CryptoError.unacceptableParameter` where there are more or less.
        public init(data: some Collection<UInt8>) throws(CryptoError) {
            guard data.count == 12 else { throw .unacceptableParameter("a nonce has 12 bytes") }
            bytes = Array(data)
        }

        /// The index of the first byte.
        public var startIndex: Int { 0 }

        /// The index after the last byte.
        public var endIndex: Int { bytes.count }

        /// The byte at an index.
        public subscript(position: Int) -> UInt8 { bytes[position] }
    }

    /// A ciphertext with what is needed, besides the key, to open it.
    public struct SealedBox: Sendable, Hashable {
        /// The nonce that was used.
        public let nonce: Nonce
        /// The encrypted message, as long as the message.
        public let ciphertext: [UInt8]
        /// The tag of 16 bytes that authenticates everything.
        public let tag: [UInt8]

        /// Takes parts whose sizes are right by how they were made.
        init(nonce: Nonce, ciphertext: [UInt8], tag: [UInt8]) {
            self.nonce = nonce
            self.ciphertext = ciphertext
            self.tag = tag
        }

        /// A box of its parts.
        ///
        /// - Throws: `CryptoError.unacceptableParameter` where the tag has not 16 bytes; a shorter one would be easier to
        ///   forge.
        public init(
            nonce: Nonce, ciphertext: some Collection<UInt8>, tag: some Collection<UInt8>
        ) throws(CryptoError) {
            guard tag.count == 16 else { throw .unacceptableParameter("a tag has 16 bytes") }
            self.init(nonce: nonce, ciphertext: Array(ciphertext), tag: Array(tag))
        }

        /// A box of nonce, ciphertext and tag, one after the other.
        ///
        /// - Throws: `CryptoError.unacceptableParameter` where there are less than 28 bytes.
        public init(combined: some Collection<UInt8>) throws(CryptoError) {
            let bytes = Array(combined)
            guard bytes.count >= 28 else { throw .unacceptableParameter("a sealed box has at least 28 bytes") }
            try self.init(
                nonce: try Nonce(data: bytes.prefix(12)), ciphertext: bytes.dropFirst(12).dropLast(16),
                tag: bytes.suffix(16))
        }

        /// Nonce, ciphertext and tag, one after the other.
        ///
        /// It is 28 bytes longer than the message. It is optional because CryptoKit's is, for nonces of other lengths;
        /// here it is never nil.
        public var combined: [UInt8]? { nonce.bytes + ciphertext + tag }
    }
}
#endif
