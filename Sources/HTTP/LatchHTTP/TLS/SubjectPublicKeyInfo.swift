// SPDX-License-Identifier: Apache-2.0

/// The encoder of a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) from an exported key; its digest is a pin.
enum SubjectPublicKeyInfo {
    enum KeyType {
        /// An RSA key (RFC 8017): a modulus and an exponent in a SEQUENCE.
        case rsa
        /// An elliptic-curve key (RFC 5480): an uncompressed point on P-256, P-384 or P-521.
        case point

        /// Returns the DER of the algorithm, or nil for another curve.
        ///
        /// RSA: RFC 3279 §2.3.1. Elliptic curves: RFC 5480 §2.1.1, by the length of the point.
        fileprivate func algorithm(of key: [UInt8]) -> [UInt8]? {
            let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
            return switch (self, key.count) {
            case (.rsa, _): [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
            case (.point, 65): ecPublicKey + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
            case (.point, 97): ecPublicKey + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
            case (.point, 133): ecPublicKey + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
            default: nil
            }
        }
    }

    /// Encodes the key with its algorithm, or returns nil for an unknown curve.
    static func encode(_ type: KeyType, _ key: [UInt8]) -> [UInt8]? {
        guard let algorithm = type.algorithm(of: key) else { return nil }
        return element(0x30, element(0x30, algorithm) + element(0x03, [0] + key))
    }

    /// Encodes an element in the shortest definite form (X.690 §8.1.3).
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 128 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
