// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// A prime curve of NIST, with the digest that ECDSA uses on it.
public protocol NISTCurve: Sendable {
    /// The digest that is signed.
    associatedtype Hash: HashFunction
    /// The length of a coordinate, and of each half of a signature, in bytes.
    static var coordinateByteCount: Int { get }
    /// The curve's name in FIPS 186-5, such as `P-256`.
    static var name: String { get }
}

/// NIST P-256, signed over SHA-256.
public enum P256: NISTCurve {
    /// The digest that is signed.
    public typealias Hash = SHA256
    /// Keys and signatures of ECDSA on this curve.
    public typealias Signing = NISTSigning<P256>
    /// The length of a coordinate in bytes.
    public static var coordinateByteCount: Int { 32 }
    /// The curve's name.
    public static var name: String { "P-256" }
}

/// NIST P-384, signed over SHA-384.
public enum P384: NISTCurve {
    /// The digest that is signed.
    public typealias Hash = SHA384
    /// Keys and signatures of ECDSA on this curve.
    public typealias Signing = NISTSigning<P384>
    /// The length of a coordinate in bytes.
    public static var coordinateByteCount: Int { 48 }
    /// The curve's name.
    public static var name: String { "P-384" }
}

/// NIST P-521, signed over SHA-512.
public enum P521: NISTCurve {
    /// The digest that is signed.
    public typealias Hash = SHA512
    /// Keys and signatures of ECDSA on this curve.
    public typealias Signing = NISTSigning<P521>
    /// The length of a coordinate in bytes.
    public static var coordinateByteCount: Int { 66 }
    /// The curve's name.
    public static var name: String { "P-521" }
}

/// The keys and signatures of ECDSA on a curve (FIPS 186-5 §6).
public enum NISTSigning<Curve: NISTCurve> {}

extension NISTSigning {
    /// A public key, which verifies signatures.
    public struct PublicKey: Sendable {
        private let key: EVPKey
        private let arithmetic: CurveArithmetic
        private let point: CurvePoint
        /// The point, uncompressed: 0x04, x and y (SEC 1 §2.3.3).
        public let x963Representation: [UInt8]

        /// Creates a key from a key that OpenSSL has read, in any form, and stores its uncompressed point.
        init(_ key: EVPKey) throws(CryptoError) {
            try requireCurve(Curve.self, of: key)
            let length = Curve.coordinateByteCount
            // SEC 1 §3.2.2.1: the point at infinity, which has no coordinates, is not a public key.
            guard key.byteCount(of: .x) != nil else { throw .malformedKey("its point is the one at infinity") }
            x963Representation = try [4] + key.number(.x, count: length) + key.number(.y, count: length)
            self.key = key
            arithmetic = try CurveArithmetic.of(Curve.self)
            point = try arithmetic.point(x963Representation)
        }

        /// Creates a key from its uncompressed point, which must be on the curve.
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

        /// Creates a key from the coordinates x and y of its point.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            try self.init(x963Representation: [4] + rawRepresentation)
        }

        /// Creates a key from a SubjectPublicKeyInfo in PEM.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            try self.init(try EVPKey.publicKey(pem: pemRepresentation))
        }

        /// Creates a key from a SubjectPublicKeyInfo in DER.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(derRepresentation: some Collection<UInt8>) throws(CryptoError) {
            try self.init(try EVPKey.publicKey(der: Array(derRepresentation)))
        }

        /// The point's coordinates, x followed by y.
        public var rawRepresentation: [UInt8] { Array(x963Representation.dropFirst()) }

        /// Returns the SubjectPublicKeyInfo in PEM.
        public func pem() throws(CryptoError) -> String { try key.publicPEM() }

        /// Whether the signature is this key's for `data`.
        public func isValidSignature(_ signature: ECDSASignature, for data: some Collection<UInt8>) -> Bool {
            isValidSignature(rawRepresentation: signature.rawRepresentation, for: data)
        }

        /// Whether the raw signature is this key's for `data`; false for any other length.
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

/// Rejects a key of another kind or curve.
///
/// The curve is compared by OpenSSL's number for it, since P-256 is also called prime256v1 and secp256r1.
func requireCurve(_ curve: (some NISTCurve).Type, of key: EVPKey) throws(CryptoError) {
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_is_a(key.pointer, "EC") == 1,
        EVP_PKEY_get_group_name(key.pointer, &name, name.count, &count) == 1,
        OBJ_txt2nid(name) == EC_curve_nist2nid(curve.name)
    else { throw .refusedKey("it is not on the curve \(curve.name)") }
}

/// Calls `body` with the digest of `data`, in a buffer on the stack.
///
/// The buffer has the digest's length, and is valid until `body` returns.
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

extension NISTSigning {
    /// A private key, which signs.
    public struct PrivateKey: Sendable {
        private let key: EVPKey
        private let signers: EVPContextPool
        /// The half that verifies signatures, without secrets.
        public let publicKey: PublicKey

        private init(_ key: EVPKey) throws(CryptoError) {
            self.key = key
            // The public half gets a separate OpenSSL key, so that no copy of it contains the secret.
            publicKey = try PublicKey(x963Representation: try PublicKey(key).x963Representation)
            signers = EVPContextPool(key, for: .sign)
        }

        /// Creates a random key.
        public init() throws(CryptoError) {
            let group = Curve.name
            try self.init(try EVPKey.generate("EC") { EVP_PKEY_CTX_set_group_name($0, group) == 1 })
        }

        /// Creates a key from its secret scalar at full length.
        ///
        /// - Throws: `CryptoError.malformedKey` if it is zero or not less than the curve's order.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            try self.init(try EVPKey.privateKey(of: rawRepresentation, on: Curve.self).key)
        }

        /// Creates a key from PKCS #8 or SEC 1 in PEM; encrypted keys are rejected.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            let key = try EVPKey.privateKey(pem: pemRepresentation)
            try requireCurve(Curve.self, of: key)
            // The public point is computed from the secret; a point in the text is ignored.
            try self.init(
                rawRepresentation: try key.number(.secret, count: Curve.coordinateByteCount))
        }

        /// The secret scalar at full length; the caller must protect it.
        public var rawRepresentation: [UInt8] {
            get throws(CryptoError) {
                try key.number(.secret, count: Curve.coordinateByteCount)
            }
        }

        /// Generates a private key.
        package static func generate() throws(CryptoError) -> Self { try Self() }

        /// The secret scalar at full length; the caller must protect it.
        package func secretBytes() throws(CryptoError) -> [UInt8] { try rawRepresentation }

        /// Returns the unencrypted private key as PKCS #8 in PEM; the caller must protect it.
        public func pem() throws(CryptoError) -> String { try key.privatePEM() }

        /// Signs `data`.
        ///
        /// The signature contains a random number from OpenSSL (FIPS 186-5 §6.3). So it differs each time, even for the
        /// same data.
        public func signature(for data: some Collection<UInt8>) throws(CryptoError) -> ECDSASignature {
            // DER adds at most nine bytes: three of length and tag, and three for each number.
            let der = try withDigest(Curve.Hash.self, of: data) { digest throws(CryptoError) in
                try signers.signature(of: digest, capacity: Curve.coordinateByteCount * 2 + 9)
            }
            return try ECDSASignature(derRepresentation: der)
        }
    }
}

extension NISTSigning.PrivateKey: CustomStringConvertible, CustomReflectable {
    /// The curve; the key is redacted.
    public var description: String { "\(Curve.name) private key (redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension EVPKey {
    /// Creates a key from its secret scalar at full length, and returns it with its uncompressed public point.
    static func privateKey(
        of scalar: some Collection<UInt8>, on curve: (some NISTCurve).Type
    ) throws(CryptoError) -> (key: EVPKey, point: [UInt8]) {
        guard scalar.count == curve.coordinateByteCount else {
            throw .malformedKey("the secret number has another length")
        }
        var secret = Array(scalar)
        defer { wipe(&secret) }
        let point = try publicPoint(of: secret, on: curve)
        let parts = try EVPKeyParts()
        try parts.add(.secret, number: secret)
        return (try parts.key("EC", group: curve.name, point: point, isPrivate: true), point)
    }
}

/// Returns the uncompressed public point of a secret scalar.
///
/// OpenSSL does not compute it when a key is created from its parts. The multiplication takes the same time for every
/// number.
private func publicPoint(of secret: [UInt8], on curve: (some NISTCurve).Type) throws(CryptoError) -> [UInt8] {
    guard let group = EC_GROUP_new_by_curve_name(EC_curve_nist2nid(curve.name)) else {
        throw .openSSL("opening the curve")
    }
    defer { EC_GROUP_free(group) }
    guard let number = BN_bin2bn(secret, Int32(secret.count), nil), let point = EC_POINT_new(group) else {
        throw .openSSL("reading a key")
    }
    defer {
        BN_clear_free(number)
        EC_POINT_free(point)
    }
    BN_set_flags(number, BN_FLG_CONSTTIME)
    // FIPS 186-5 §6.2.1: the secret is between 1 and the order less 1.
    guard BN_is_zero(number) == 0, let order = EC_GROUP_get0_order(group), BN_cmp(number, order) < 0 else {
        throw .refusedKey("the secret number is out of range")
    }
    var bytes = [UInt8](repeating: 0, count: curve.coordinateByteCount * 2 + 1)
    guard EC_POINT_mul(group, point, number, nil, nil, nil) == 1,
        EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil) == bytes.count
    else { throw .openSSL("computing the public key") }
    return bytes
}

extension NISTSigning {
    /// An ECDSA signature: the numbers r and s.
    public struct ECDSASignature: Sendable, Hashable {
        /// The numbers r and s at full length, r followed by s (RFC 7518 §3.4).
        public let rawRepresentation: [UInt8]

        /// Creates a signature from its raw form.
        ///
        /// - Throws: `CryptoError.malformedSignature` if the length is not twice a coordinate's.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            guard rawRepresentation.count == Curve.coordinateByteCount * 2 else { throw .malformedSignature }
            self.rawRepresentation = Array(rawRepresentation)
        }

        /// Creates a signature from its DER form.
        ///
        /// - Throws: `CryptoError.malformedSignature` if it is not strict DER.
        public init(derRepresentation: some Collection<UInt8>) throws(CryptoError) {
            var reader = DERReader(derRepresentation)
            let half = Curve.coordinateByteCount
            guard let numbers = try? reader.numbers(), numbers.count == 2, numbers.allSatisfy({ $0.count <= half })
            else { throw .malformedSignature }
            var raw: [UInt8] = []
            raw.reserveCapacity(half * 2)
            for number in numbers {
                raw.append(contentsOf: repeatElement(0, count: half - number.count))
                raw += number
            }
            rawRepresentation = raw
        }

        /// The signature in DER, at most nine bytes longer than the raw form.
        public var derRepresentation: [UInt8] {
            let half = Curve.coordinateByteCount
            return DER.numbers([Array(rawRepresentation[..<half]), Array(rawRepresentation[half...])])
        }
    }
}
#endif
