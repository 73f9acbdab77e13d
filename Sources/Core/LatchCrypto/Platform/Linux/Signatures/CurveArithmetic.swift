// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// The verification of ECDSA signatures on one curve, over OpenSSL's arithmetic.
///
/// It performs the steps of FIPS 186-5 §6.4.2 on numbers that are kept between calls. OpenSSL's function does the same,
/// but allocates three dozen blocks of memory each time. All inputs are public, so constant time is not necessary.
/// Signing, which uses a secret, is left to OpenSSL.
final class CurveArithmetic: Sendable {
    /// The numbers of one verification.
    private final class Numbers: @unchecked Sendable {
        let context, point: OpaquePointer
        /// The halves of the signature, the digest, and the intermediate results; they belong to the context.
        let r, s, digest, inverse, first, second: OpaquePointer

        init?(_ group: OpaquePointer) {
            guard let context = BN_CTX_new() else { return nil }
            BN_CTX_start(context)
            guard let r = BN_CTX_get(context), let s = BN_CTX_get(context), let digest = BN_CTX_get(context),
                let inverse = BN_CTX_get(context), let first = BN_CTX_get(context), let second = BN_CTX_get(context),
                let point = EC_POINT_new(group)
            else {
                BN_CTX_free(context)
                ERR_clear_error()
                return nil
            }
            (self.context, self.point, self.r, self.s, self.digest) = (context, point, r, s, digest)
            (self.inverse, self.first, self.second) = (inverse, first, second)
        }

        deinit {
            EC_POINT_free(point)
            BN_CTX_free(context)
        }
    }

    // OpenSSL reads a group from several threads, and no code changes it after its creation.
    private nonisolated(unsafe) let group: OpaquePointer
    private nonisolated(unsafe) let order: OpaquePointer
    private let halfCount: Int
    private let idle = IdlePool<Numbers>()

    private static let p256 = CurveArithmetic(P256.self)
    private static let p384 = CurveArithmetic(P384.self)
    private static let p521 = CurveArithmetic(P521.self)

    /// Returns the instance of a curve.
    static func of(_ curve: (some NISTCurve).Type) throws(CryptoError) -> CurveArithmetic {
        let known = [p256, p384, p521].compactMap(\.self).first { $0.halfCount == curve.coordinateByteCount }
        guard let known else { throw .openSSL("opening the curve") }
        return known
    }

    /// Opens a curve; the instances live as long as the process, so their memory is never freed.
    private init?(_ curve: (some NISTCurve).Type) {
        guard let group = EC_GROUP_new_by_curve_name(EC_curve_nist2nid(curve.name)),
            let order = EC_GROUP_get0_order(group)
        else { return nil }
        self.group = group
        self.order = order
        halfCount = curve.coordinateByteCount
    }

    /// Decodes an uncompressed point, which must be on the curve.
    func point(_ x963: [UInt8]) throws(CryptoError) -> CurvePoint {
        guard let point = EC_POINT_new(group) else { throw .openSSL("reading a key") }
        let owned = CurvePoint(owning: point)
        guard EC_POINT_oct2point(group, point, x963, x963.count, nil) == 1 else {
            throw .refusedKey("its point is not on the curve")
        }
        return owned
    }

    /// Returns whether the raw signature is valid for the digest and the public key; false after any failure.
    func verifies(
        _ signature: UnsafeBufferPointer<UInt8>, digest: UnsafeMutableBufferPointer<UInt8>, key: CurvePoint
    ) -> Bool {
        guard signature.count == halfCount * 2 else { return false }
        return idle.withElement({ Numbers(group) }) { verifies(signature, digest: digest, key: key, $0) } ?? false
    }

    private func verifies(
        _ signature: UnsafeBufferPointer<UInt8>, digest: UnsafeMutableBufferPointer<UInt8>, key: CurvePoint,
        _ numbers: Numbers
    ) -> Bool {
        let half = Int32(halfCount)
        guard let start = signature.baseAddress, BN_bin2bn(start, half, numbers.r) != nil,
            BN_bin2bn(start + halfCount, half, numbers.s) != nil,
            BN_bin2bn(digest.baseAddress, Int32(digest.count), numbers.digest) != nil
        else { return false }
        // FIPS 186-5 §6.4.2, step 1: both halves are between 1 and the order less 1.
        guard isInRange(numbers.r), isInRange(numbers.s) else { return false }
        let holds = multiplies(numbers, key: key)
        // A failure leaves an error in this thread's queue.
        if !holds { ERR_clear_error() }
        return holds
    }

    private func isInRange(_ number: OpaquePointer) -> Bool { BN_is_zero(number) == 0 && BN_cmp(number, order) < 0 }

    /// Performs the steps 3 to 9 of FIPS 186-5 §6.4.2.
    ///
    /// Step 2, the leftmost bits of the digest, uses the whole digest: on no curve here is it longer than the order.
    private func multiplies(_ numbers: Numbers, key: CurvePoint) -> Bool {
        let context = numbers.context
        guard BN_mod_inverse(numbers.inverse, numbers.s, order, context) != nil,
            BN_mod_mul(numbers.first, numbers.digest, numbers.inverse, order, context) == 1,
            BN_mod_mul(numbers.second, numbers.r, numbers.inverse, order, context) == 1,
            EC_POINT_mul(group, numbers.point, numbers.first, key.pointer, numbers.second, context) == 1,
            EC_POINT_is_at_infinity(group, numbers.point) == 0,
            EC_POINT_get_affine_coordinates(group, numbers.point, numbers.first, nil, context) == 1,
            BN_nnmod(numbers.second, numbers.first, order, context) == 1
        else { return false }
        return BN_cmp(numbers.second, numbers.r) == 0
    }
}

/// A point of a key, freed with its last owner; OpenSSL reads it from several threads.
final class CurvePoint: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EC_POINT_free(pointer) }
}
#endif
