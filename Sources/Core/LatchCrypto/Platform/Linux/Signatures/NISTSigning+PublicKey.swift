// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

extension NISTSigning {
    /// A key that verifies.
    public struct PublicKey: Sendable {
        private let key: EVPKey
        private let arithmetic: CurveArithmetic
        private let point: CurvePoint
        /// The point, uncompressed: 0x04, x and y (SEC 1 §2.3.3).
        public let x963Representation: [UInt8]

        /// Takes a key that OpenSSL has read, from whatever form, and keeps its point uncompressed.
        init(_ key: EVPKey) throws(CryptoError) {
            // A key of another kind or curve must not pass for one of this curve.
            try requireCurve(Curve.self, of: key)
            let length = Curve.coordinateByteCount
            // SEC 1 §3.2.2.1: a public key is not the point at infinity, which is on every curve and has no coordinates.
            guard key.byteCount(of: .x) != nil else { throw .malformedKey("its point is the one at infinity") }
            x963Representation = try [4] + key.number(.x, count: length) + key.number(.y, count: length)
            self.key = key
            arithmetic = try CurveArithmetic.of(Curve.self)
            point = try arithmetic.point(x963Representation)
        }

        /// A key of its point, uncompressed, which has to lie on the curve.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(x963Representation: some Collection<UInt8>) throws(CryptoError) {
            let point = Array(x963Representation)
            guard point.count == Curve.coordinateByteCount * 2 + 1, point[0] == 4 else {
                throw .malformedKey("the point has another length or form")
            }
            try self.init(
                try EVPKeyParts().key("EC", group: Curve.name, point: point, isPrivate: false))
        }

        /// A key of its point's coordinates, x and y one after the other.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            try self.init(x963Representation: [4] + rawRepresentation)
        }

        /// A key of a PEM text, in SubjectPublicKeyInfo.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            try self.init(try EVPKey.publicKey(pem: pemRepresentation))
        }

        /// A key of its DER form, in SubjectPublicKeyInfo.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(derRepresentation: some Collection<UInt8>) throws(CryptoError) {
            try self.init(try EVPKey.publicKey(der: Array(derRepresentation)))
        }

        /// The point's coordinates, x and y one after the other.
        public var rawRepresentation: [UInt8] { Array(x963Representation.dropFirst()) }

        /// The key as PEM, in SubjectPublicKeyInfo.
        public func pem() throws(CryptoError) -> String { try key.publicPEM() }

        /// Whether the signature is this key's for `data`.
        public func isValidSignature(_ signature: ECDSASignature, for data: some Collection<UInt8>) -> Bool {
            isValidSignature(rawRepresentation: signature.rawRepresentation, for: data)
        }

        /// Whether the raw signature is this key's for `data`; one of another length is not.
        package func isValidSignature(
            rawRepresentation raw: some Collection<UInt8>, for data: some Collection<UInt8>
        ) -> Bool {
            guard raw.count == Curve.coordinateByteCount * 2 else { return false }
            return withDigest(Curve.Hash.self, of: data) { digest in
                withBytes(of: raw) { arithmetic.verifies($0, digest: digest, key: point) }
            }
        }
    }
}

extension NISTSigning.PublicKey: Hashable {
    /// Whether both are the same point.
    public static func == (left: Self, right: Self) -> Bool { left.x963Representation == right.x963Representation }

    /// Hashes the point.
    public func hash(into hasher: inout Hasher) { hasher.combine(x963Representation) }
}

/// Refuses a key of another kind or curve.
///
/// The curve is compared by OpenSSL's number of it, since P-256 is also called prime256v1 and secp256r1.
func requireCurve(_ curve: (some NISTCurve).Type, of key: EVPKey) throws(CryptoError) {
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_is_a(key.pointer, "EC") == 1,
        EVP_PKEY_get_group_name(key.pointer, &name, name.count, &count) == 1,
        OBJ_txt2nid(name) == EC_curve_nist2nid(curve.name)
    else { throw .refusedKey("it is not on the curve \(curve.name)") }
}

/// Digests `data` into memory of the stack and lends it.
///
/// The buffer has the digest's length and is gone when `body` returns.
func withDigest<Result, Failure: Error>(
    _ hash: (some HashFunction).Type, of data: some Collection<UInt8>,
    _ body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Result
) throws(Failure) -> Result {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: hash.byteCount) {
        digest throws(Failure) -> Result in
        var state = hash.init()
        state.update(data: data)
        state.finalize(into: digest)
        return try body(digest)
    }
}
#endif
