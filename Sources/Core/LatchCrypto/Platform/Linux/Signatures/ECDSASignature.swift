// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension NISTSigning {
    /// A signature: the numbers r and s.
    public struct ECDSASignature: Sendable, Hashable {
        /// The numbers r and s at full length, one after the other (RFC 7518 §3.4).
        public let rawRepresentation: [UInt8]

        /// A signature of its raw form.
        ///
        /// - Throws: `CryptoError.malformedSignature` where the length is not twice a coordinate's.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            guard rawRepresentation.count == Curve.coordinateByteCount * 2 else { throw .malformedSignature }
            self.rawRepresentation = Array(rawRepresentation)
        }

        /// A signature of its DER form.
        ///
        /// - Throws: `CryptoError.malformedSignature` where it is not strict DER.
        public init(derRepresentation: some Collection<UInt8>) throws(CryptoError) {
            guard let raw = DERSignature.decode(Array(derRepresentation), half: Curve.coordinateByteCount) else {
                throw .malformedSignature
            }
            rawRepresentation = raw
        }

        /// The signature in DER.
        ///
        /// It is at most nine bytes longer than the raw form, and the only spelling that the initialiser for DER takes.
        public var derRepresentation: [UInt8] {
            rawRepresentation.withUnsafeBufferPointer { DERSignature.encode(raw: $0) }
        }
    }
}
#endif
