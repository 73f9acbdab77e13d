// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

extension Insecure {
    /// MD5 (RFC 1321), for password digests of other systems only.
    package struct MD5: HashFunction {
        /// OpenSSL's state, by value: a copy of the digest copies it, and nothing has to be freed.
        private var context: MD5_CTX

        /// The length of a digest in bytes.
        package static var byteCount: Int { 16 }

        /// The length of a block in bytes.
        package static var blockByteCount: Int { 64 }

        /// Creates the state of an empty input.
        package init() {
            context = MD5_CTX()
            // It writes constants into the caller's memory and cannot fail; neither can the other functions.
            _ = MD5_Init(&context)
        }

        /// Adds bytes to the input.
        package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
            _ = MD5_Update(&context, bufferPointer.baseAddress, bufferPointer.count)
        }

        /// Writes the digest of the input so far to `output`.
        package func finalize(into output: UnsafeMutableBufferPointer<UInt8>) {
            guard output.count >= Self.byteCount else { return }
            var last = context
            _ = MD5_Final(output.baseAddress, &last)
        }
    }
}
#endif
