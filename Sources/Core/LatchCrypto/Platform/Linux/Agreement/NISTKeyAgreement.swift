// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

extension P256 {
    /// Keys of the Diffie-Hellman key agreement on this curve.
    public typealias KeyAgreement = NISTKeyAgreement<P256>
}

extension P384 {
    /// Keys of the Diffie-Hellman key agreement on this curve.
    public typealias KeyAgreement = NISTKeyAgreement<P384>
}

extension P521 {
    /// Keys of the Diffie-Hellman key agreement on this curve.
    public typealias KeyAgreement = NISTKeyAgreement<P521>
}

/// The elliptic-curve Diffie-Hellman key agreement on a curve (NIST SP 800-56A §5.7.1.2).
public enum NISTKeyAgreement<Curve: NISTCurve> {}

extension NISTKeyAgreement {
    /// A public key, which is a point on the curve.
    public struct PublicKey: Sendable, Hashable {
        fileprivate let key: EVPKey
        /// The point, uncompressed: 0x04, x and y (SEC 1 §2.3.3).
        public let x963Representation: [UInt8]

        /// Creates a key from its uncompressed point, which must be on the curve.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(x963Representation: some Collection<UInt8>) throws(CryptoError) {
            let point = Array(x963Representation)
            // The point at infinity has another length. These curves have the cofactor 1, so a point on the curve has
            // its order (NIST SP 800-56A §5.6.2.3.4). OpenSSL checks that it is on the curve.
            guard point.count == Curve.coordinateByteCount * 2 + 1, point[0] == 4 else {
                throw .malformedKey("the point has another length or form")
            }
            key = try EVPKeyParts().key("EC", group: Curve.name, point: point, isPrivate: false)
            self.x963Representation = point
        }

        /// Creates a key from the coordinates x and y of its point.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            try self.init(x963Representation: [4] + rawRepresentation)
        }

        /// The point's coordinates, x followed by y.
        public var rawRepresentation: [UInt8] { Array(x963Representation.dropFirst()) }

        /// Whether both are the same point.
        public static func == (left: Self, right: Self) -> Bool { left.x963Representation == right.x963Representation }

        /// Hashes the point.
        public func hash(into hasher: inout Hasher) { hasher.combine(x963Representation) }
    }

    /// A private key, which computes shared secrets.
    public struct PrivateKey: Sendable {
        private let key: EVPKey
        /// The half that the other side needs, without secrets.
        public let publicKey: PublicKey

        /// Creates a random key.
        public init() throws(CryptoError) {
            let group = Curve.name
            let made = try EVPKey.generate("EC") { EVP_PKEY_CTX_set_group_name($0, group) == 1 }
            var secret = try made.number(.secret, count: Curve.coordinateByteCount)
            defer { wipe(&secret) }
            try self.init(rawRepresentation: secret)
        }

        /// Creates a key from its secret scalar at full length.
        ///
        /// - Throws: `CryptoError.malformedKey` if it is zero or not less than the curve's order.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            let point: [UInt8]
            (key, point) = try EVPKey.privateKey(of: rawRepresentation, on: Curve.self)
            publicKey = try PublicKey(x963Representation: point)
        }

        /// The secret scalar at full length; the caller must protect it.
        public var rawRepresentation: [UInt8] {
            get throws(CryptoError) { try key.number(.secret, count: Curve.coordinateByteCount) }
        }

        /// Generates a private key.
        package static func generate() throws(CryptoError) -> Self { try Self() }

        /// The secret scalar at full length; the caller must protect it.
        package func secretBytes() throws(CryptoError) -> [UInt8] { try rawRepresentation }

        /// Computes the shared secret with another public key.
        ///
        /// The owner of the other key computes the same secret with this key's public half. It is not uniform, so
        /// derive a key from it.
        ///
        /// - Throws: `CryptoError.engineFailure`.
        public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws(CryptoError) -> SharedSecret {
            try SharedSecret(key, publicKeyShare.key)
        }
    }
}

extension NISTKeyAgreement.PrivateKey: CustomStringConvertible, CustomReflectable {
    /// The curve; the key is redacted.
    public var description: String { "\(Curve.name) key agreement private key (redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
