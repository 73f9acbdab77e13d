// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL
internal import LatchCore

/// An OpenSSL key that is freed with its last owner; OpenSSL then wipes its secrets.
///
/// Several threads may read one key, since it never changes after its creation.
final class EVPKey: Sendable {
    /// The EVP_PKEY, valid as long as this object, which callers keep alive during each use.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes ownership of `pointer`.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// Returns a number of the key, such as a coordinate, in `count` bytes, or without leading zeros.
    func number(_ part: EVPPart, count: Int? = nil) throws(CryptoError) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, part.name, &number) == 1, let number else {
            throw .openSSL("reading a key")
        }
        defer { BN_clear_free(number) }
        let length = count ?? Int(BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: length)
        guard BN_bn2binpad(number, &bytes, Int32(length)) == Int32(length) else { throw .openSSL("reading a key") }
        return bytes
    }

    /// Returns the length of a number of the key without leading zeros; nil if the key has no such number.
    func byteCount(of part: EVPPart) -> Int? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, part.name, &number) == 1, let number else {
            ERR_clear_error()
            return nil
        }
        defer { BN_clear_free(number) }
        return Int(BN_num_bits(number) + 7) / 8
    }

    /// Generates a key of a kind, such as `EC`, with the parameters that `configure` sets.
    static func generate(
        _ kind: String, configure: (OpaquePointer) -> Bool
    ) throws(CryptoError) -> EVPKey {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { throw .openSSL("making a key") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, configure(context), EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .openSSL("making a key") }
        return EVPKey(owning: key)
    }
}

extension CryptoError {
    /// Returns the error of an OpenSSL call with OpenSSL's reason, and clears its error queue.
    static func openSSL(_ what: String) -> CryptoError {
        let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
        ERR_clear_error()
        return .engineFailure(reason.map { "\(what) (\($0))" } ?? what)
    }

    /// Returns the error for a key that OpenSSL rejects, and clears its error queue.
    static func refusedKey(_ why: String) -> CryptoError {
        ERR_clear_error()
        return .malformedKey(why)
    }
}

extension EVPKey {
    /// Reads a private key in PKCS #8 or the older form of its kind; encrypted keys are rejected without a prompt.
    static func privateKey(pem: String) throws(CryptoError) -> EVPKey {
        try read(pem) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Reads a public key in SubjectPublicKeyInfo.
    static func publicKey(pem: String) throws(CryptoError) -> EVPKey {
        try read(pem) { PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Reads a public key in SubjectPublicKeyInfo, in DER.
    static func publicKey(der: [UInt8]) throws(CryptoError) -> EVPKey {
        try decode(der) { d2i_PUBKEY(nil, $0, $1) }
    }

    /// Returns the private key as PKCS #8 in PEM.
    ///
    /// It is not encrypted; the caller must protect it.
    func privatePEM() throws(CryptoError) -> String {
        try write { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// Returns the public key as SubjectPublicKeyInfo in PEM.
    func publicPEM() throws(CryptoError) -> String {
        try write { PEM_write_bio_PUBKEY($0, pointer) }
    }

    /// Reads the first suitable PEM block anywhere in the text, as OpenSSL's readers do.
    ///
    /// The copy of the text is wiped, since it may hold a secret.
    private static func read(
        _ pem: String, _ read: (OpaquePointer) -> OpaquePointer?
    ) throws(CryptoError) -> EVPKey {
        var bytes = Array(pem.utf8)
        defer { wipe(&bytes) }
        let key = bytes.withUnsafeBytes { bytes in
            guard let text = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                return nil as OpaquePointer?
            }
            defer { BIO_free(text) }
            return read(text)
        }
        guard let key else { throw .refusedKey("the text is not a PEM block of such a key") }
        return EVPKey(owning: key)
    }

    /// Reads DER from its first to its last byte; `decode` advances the pointer, and remaining bytes are rejected.
    private static func decode(
        _ der: [UInt8], _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) throws(CryptoError) -> EVPKey {
        let (key, isWhole) = der.withUnsafeBufferPointer { bytes in
            var rest = bytes.baseAddress
            let key = decode(&rest, bytes.count)
            return (key, rest == bytes.baseAddress?.advanced(by: bytes.count))
        }
        guard let key else { throw .refusedKey("the bytes are not the DER form of such a key") }
        let owned = EVPKey(owning: key)
        guard isWhole else { throw .refusedKey("something follows it") }
        return owned
    }

    /// Returns the text that OpenSSL writes, of at most 32 KiB: four times the size of a key of 8192 bits.
    private func write(_ write: (OpaquePointer) -> Int32) throws(CryptoError) -> String {
        // The memory of BIO_s_secmem is wiped when it is freed.
        guard let text = BIO_new(BIO_s_secmem()) else { throw .openSSL("writing a key") }
        defer { BIO_free(text) }
        guard write(text) == 1 else { throw .openSSL("writing a key") }
        var bytes = [UInt8](repeating: 0, count: 32 << 10)
        defer { wipe(&bytes) }
        let count = BIO_read(text, &bytes, Int32(bytes.count))
        guard count > 0 else { throw .openSSL("writing a key") }
        return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
    }
}

/// A builder of keys from their parts, by OpenSSL's names.
///
/// It owns the values that OpenSSL only borrows until the key is created, and then wipes them.
final class EVPKeyParts {
    /// The OSSL_PARAM_BLD, which copies nothing before the key is created.
    private let builder: OpaquePointer
    /// The BIGNUMs that the builder points to; they live as long as the builder.
    private var numbers: [OpaquePointer] = []

    init() throws(CryptoError) {
        guard let builder = OSSL_PARAM_BLD_new() else { throw .openSSL("making a key") }
        self.builder = builder
    }

    deinit {
        for number in numbers { BN_clear_free(number) }
        OSSL_PARAM_BLD_free(builder)
    }

    /// Adds a number, big-endian; leading zeros do not matter.
    func add(_ part: EVPPart, number bytes: [UInt8]) throws(CryptoError) {
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw .openSSL("making a key") }
        numbers.append(number)
        guard OSSL_PARAM_BLD_push_BN(builder, part.name, number) == 1 else { throw .openSSL("making a key") }
    }

    /// Creates the key of a kind, such as `RSA`.
    ///
    /// OpenSSL does not check that a private number belongs to the public parts; the caller does.
    ///
    /// - Parameter point: The public point; OpenSSL checks that it is on the curve.
    func key(
        _ kind: String, group: String? = nil, point: [UInt8]? = nil, isPrivate: Bool
    ) throws(CryptoError) -> EVPKey {
        // OpenSSL keeps pointers to both texts until the parameters are built, so everything happens inside.
        let made = (group ?? "").withCString { group in
            (point ?? []).withUnsafeBufferPointer { point in
                build(kind, group: group, point: point, isPrivate: isPrivate)
            }
        }
        guard let made else { throw .refusedKey("its parts do not fit together") }
        return EVPKey(owning: made)
    }

    /// Builds the parameters and imports them; nil if OpenSSL rejects them, with the reason in its error queue.
    private func build(
        _ kind: String, group: UnsafePointer<CChar>, point: UnsafeBufferPointer<UInt8>, isPrivate: Bool
    ) -> OpaquePointer? {
        if group.pointee != 0 {
            guard OSSL_PARAM_BLD_push_utf8_string(builder, EVPPart.group.name, group, 0) == 1 else {
                return nil
            }
        }
        if !point.isEmpty {
            let pushed = OSSL_PARAM_BLD_push_octet_string(
                builder, EVPPart.point.name, point.baseAddress, point.count)
            guard pushed == 1 else { return nil }
        }
        guard let parameters = OSSL_PARAM_BLD_to_param(builder) else { return nil }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        // OpenSSL's EVP_PKEY_KEYPAIR and EVP_PKEY_PUBLIC_KEY are macros that use macros that Swift cannot see.
        let publicParts = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
        let selection = isPrivate ? publicParts | OSSL_KEYMGMT_SELECT_PRIVATE_KEY : publicParts
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, selection, parameters) == 1
        else { return nil }
        return key
    }
}

/// OpenSSL's name for a part of a key.
///
/// OpenSSL keeps the pointer to a name, so the names are static texts with a fixed address. OpenSSL's macros are not
/// imported, or only as Swift strings, which have no fixed address.
struct EVPPart: Sendable {
    /// The name, with a zero byte at its end as in every static text.
    private let text: StaticString

    /// The name as a C string, valid as long as the program runs.
    var name: UnsafePointer<CChar> { UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self) }

    /// The curve, by name.
    static let group = EVPPart(text: "group")
    /// The public point, as SEC 1 §2.3.3 writes it.
    static let point = EVPPart(text: "pub")
    /// The point's first coordinate.
    static let x = EVPPart(text: "qx")
    /// The point's second coordinate.
    static let y = EVPPart(text: "qy")
    /// The secret number of an elliptic key.
    static let secret = EVPPart(text: "priv")
    /// The modulus n.
    static let modulus = EVPPart(text: "n")
    /// The public exponent e.
    static let exponent = EVPPart(text: "e")
    /// The private exponent d.
    static let privateExponent = EVPPart(text: "d")
    /// The prime p.
    static let firstPrime = EVPPart(text: "rsa-factor1")
    /// The prime q.
    static let secondPrime = EVPPart(text: "rsa-factor2")
    /// The third prime, which only rejected keys have.
    static let thirdPrime = EVPPart(text: "rsa-factor3")
    /// The number d modulo p − 1.
    static let firstExponent = EVPPart(text: "rsa-exponent1")
    /// The number d modulo q − 1.
    static let secondExponent = EVPPart(text: "rsa-exponent2")
    /// The inverse of q modulo p.
    static let coefficient = EVPPart(text: "rsa-coefficient1")
}
#endif
