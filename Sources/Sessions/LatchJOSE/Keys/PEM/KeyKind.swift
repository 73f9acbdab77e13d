// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto

/// A kind of key as X.509 and PKCS #8 name it.
enum KeyKind: CaseIterable {
    case p256, p384, p521, ed25519, rsa

    /// The object identifier of elliptic curves (RFC 5480 §2.1.1), whose parameter is the curve.
    private static let curves: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

    /// The object identifier: `rsaEncryption` (RFC 3279 §2.3.1), Ed25519 (RFC 8410 §3), or the curve (RFC 5480
    /// §2.1.1.1).
    private var identifier: [UInt8] {
        switch self {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
        case .ed25519: [0x2B, 0x65, 0x70]
        case .rsa: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        }
    }

    /// The AlgorithmIdentifier.
    var algorithm: [UInt8] {
        let own = DER.element(DER.identifier, identifier)
        switch self {
        case .p256, .p384, .p521: return DER.element(DER.sequence, DER.element(DER.identifier, Self.curves), own)
        case .ed25519: return DER.element(DER.sequence, own)
        case .rsa: return DER.element(DER.sequence, own, DER.element(DER.null))
        }
    }

    /// Creates the kind from an AlgorithmIdentifier, which must be identical to one of those above.
    init(algorithm: DERReader) throws {
        var reader = algorithm
        var name = try reader.take(DER.identifier)
        if name.elementsEqual(Self.curves) {
            name = try reader.take(DER.identifier)
        } else if reader.tag == DER.null {
            _ = try reader.take(DER.null)
        }
        try reader.end()
        try self.init(identifier: name)
    }

    /// Creates the kind from an object identifier.
    init(identifier: ArraySlice<UInt8>) throws(JOSEError) {
        guard let kind = Self.allCases.first(where: { identifier.elementsEqual($0.identifier) }) else {
            throw .unsuitableKey("its kind or its curve is not known")
        }
        self = kind
    }
}
