// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL
internal import LatchCore

/// An OpenSSL key that is freed, and its secrets wiped by OpenSSL, with its last owner.
///
/// OpenSSL allows several threads to read one key; nothing here changes a key after it was made.
final class EVPKey: Sendable {
    /// The EVP_PKEY, valid for as long as this object lives; whoever uses it keeps the object alive over the call.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes over the reference that `pointer` stands for.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// A number of the key, such as a coordinate, in `count` bytes with the first ones zero, or as short as it is.
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

    /// How many bytes a number of the key has without leading zeros, or nil where the key has no such number.
    func byteCount(of part: EVPPart) -> Int? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, part.name, &number) == 1, let number else {
            ERR_clear_error()
            return nil
        }
        defer { BN_clear_free(number) }
        return Int(BN_num_bits(number) + 7) / 8
    }

    /// Makes a fresh key of a kind, such as `EC`, after `configure` has said which.
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
    /// The failure of an OpenSSL call, with OpenSSL's own reason; its queue of errors is emptied.
    static func openSSL(_ what: String) -> CryptoError {
        let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
        ERR_clear_error()
        return .engineFailure(reason.map { "\(what) (\($0))" } ?? what)
    }

    /// The refusal of a key by OpenSSL; its queue of errors is emptied.
    static func refusedKey(_ why: String) -> CryptoError {
        ERR_clear_error()
        return .malformedKey(why)
    }
}
#endif
