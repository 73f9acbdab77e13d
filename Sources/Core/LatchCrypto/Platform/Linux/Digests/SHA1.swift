// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// Hash functions that are broken for signatures, for protocols where they are still secure: HMAC-SHA-1 in RFC 4226.
public enum Insecure {
    /// SHA-1 (FIPS 180-4); two texts with the same digest can be made (RFC 6194 §3), which does not weaken a MAC.
    public struct SHA1: HashFunction {
        /// OpenSSL's state, by value: a copy of the digest copies it, and nothing has to be freed.
        private var context: SHA_CTX

        /// The length of a digest in bytes.
        public static var byteCount: Int { 20 }

        /// The length of a block in bytes.
        public static var blockByteCount: Int { 64 }

        /// Creates the state of an empty input.
        public init() {
            context = SHA_CTX()
            // It writes constants into the caller's memory and cannot fail; neither can the other functions.
            _ = SHA1_Init(&context)
        }

        /// Adds bytes to the input.
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
            _ = SHA1_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
        }

        /// Writes the digest of the input so far to `output`.
        public func finalize(into output: UnsafeMutableBufferPointer<UInt8>) {
            guard output.count >= Self.byteCount else { return }
            var last = context
            _ = SHA1_Final(output.baseAddress, &last)
        }
    }
}
#endif
