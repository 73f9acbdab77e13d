// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

extension EVPKey {
    /// Reads a private key in PKCS #8 or its kind's older form; encrypted ones are refused, and nobody is asked.
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

    /// The private key in PKCS #8, as PEM.
    ///
    /// It is not encrypted: whoever stores the text sees to that.
    func privatePEM() throws(CryptoError) -> String {
        try write { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// The public key in SubjectPublicKeyInfo, as PEM.
    func publicPEM() throws(CryptoError) -> String {
        try write { PEM_write_bio_PUBKEY($0, pointer) }
    }

    /// Reads the first PEM block that fits, wherever it stands in the text, as OpenSSL's readers do.
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
        guard let key else { throw .refusedKey("the text is no PEM of such a key") }
        return EVPKey(owning: key)
    }

    /// Reads DER from its first byte to its last; a reader moves the pointer, and what is left over is a refusal.
    private static func decode(
        _ der: [UInt8], _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) throws(CryptoError) -> EVPKey {
        let (key, isWhole) = der.withUnsafeBufferPointer { bytes in
            var rest = bytes.baseAddress
            let key = decode(&rest, bytes.count)
            return (key, rest == bytes.baseAddress?.advanced(by: bytes.count))
        }
        guard let key else { throw .refusedKey("the bytes are no DER of such a key") }
        let owned = EVPKey(owning: key)
        guard isWhole else { throw .refusedKey("something follows it") }
        return owned
    }

    /// Collects what OpenSSL writes.
    ///
    /// 32 KiB have room for the largest key here, of 8192 bits, four times over.
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
#endif
