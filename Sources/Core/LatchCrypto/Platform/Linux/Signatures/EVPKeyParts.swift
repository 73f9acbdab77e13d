// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// Collects the parts of a key, by OpenSSL's names for them, and makes a key of them.
///
/// It owns what OpenSSL only borrows until the key is made, and wipes it afterwards.
final class EVPKeyParts {
    /// The OSSL_PARAM_BLD, which copies nothing before the key is made.
    private let builder: OpaquePointer
    /// The BIGNUMs that the builder points to; they live as long as it does.
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

    /// Makes the key of a kind, such as `RSA`.
    ///
    /// OpenSSL takes a private number without asking whether the public parts belong to it; the caller checks that.
    ///
    /// - Parameter point: The public point, which OpenSSL checks to lie on the curve.
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

    /// Builds the parameters and imports them; nil where OpenSSL refuses, with its reason left in its queue.
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
        // OpenSSL's EVP_PKEY_KEYPAIR and EVP_PKEY_PUBLIC_KEY are macros over macros that Swift cannot see.
        let publicParts = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
        let selection = isPrivate ? publicParts | OSSL_KEYMGMT_SELECT_PRIVATE_KEY : publicParts
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, selection, parameters) == 1
        else { return nil }
        return key
    }
}
#endif
