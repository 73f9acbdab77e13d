// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

extension NISTSigning {
    /// A key that signs.
    public struct PrivateKey: Sendable {
        private let key: EVPKey
        private let signers: EVPContextPool
        /// The key that verifies what this one signs.
        public let publicKey: PublicKey

        private init(_ key: EVPKey) throws(CryptoError) {
            self.key = key
            // The public half gets an OpenSSL key of its own, so that no copy of it carries the secret around.
            publicKey = try PublicKey(x963Representation: try PublicKey(key).x963Representation)
            signers = EVPContextPool(key, for: .sign)
        }

        /// A fresh random key.
        public init() throws(CryptoError) {
            let group = Curve.name
            try self.init(try EVPKey.generate("EC") { EVP_PKEY_CTX_set_group_name($0, group) == 1 })
        }

        /// A key of its secret number, at full length.
        ///
        /// - Throws: `CryptoError.malformedKey` where it is zero or not less than the curve's order.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            guard rawRepresentation.count == Curve.coordinateByteCount else {
                throw .malformedKey("the secret number has another length")
            }
            var secret = Array(rawRepresentation)
            defer { wipe(&secret) }
            let point = try publicPoint(of: secret, on: Curve.self)
            let parts = try EVPKeyParts()
            try parts.add(.secret, number: secret)
            try self.init(try parts.key("EC", group: Curve.name, point: point, isPrivate: true))
        }

        /// A key of a PEM text, in PKCS #8 or SEC 1; encrypted ones are refused.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            let key = try EVPKey.privateKey(pem: pemRepresentation)
            try requireCurve(Curve.self, of: key)
            // Through the number, so that a public point in the text that does not belong to it cannot matter.
            try self.init(
                rawRepresentation: try key.number(.secret, count: Curve.coordinateByteCount))
        }

        /// Gives the secret number away, at full length, to whoever stores it.
        public var rawRepresentation: [UInt8] {
            get throws(CryptoError) {
                try key.number(.secret, count: Curve.coordinateByteCount)
            }
        }

        /// Gives the secret away as PEM, in PKCS #8, to whoever stores it.
        public func pem() throws(CryptoError) -> String { try key.privatePEM() }

        /// The signature of `data`.
        ///
        /// It has a fresh random number in it (FIPS 186-5 §6.3), drawn by OpenSSL: the same data gives other bytes
        /// each time.
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
    /// The curve, and nothing of the key.
    public var description: String { "\(Curve.name) private key (redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The point that belongs to a secret number, uncompressed.
///
/// OpenSSL does not compute it when a key is made of its parts. The multiplication takes the same time for every
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
#endif
