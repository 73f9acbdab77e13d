// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct ECDSAVectorTests {
    // RFC 6979 appendix A.2.5, message "sample", SHA-256.
    @Test func `ECDSA on each curve verifies the signature of RFC 6979 on P-256`() throws {
        let key = try P256.Signing.PrivateKey(
            rawRepresentation: unhexed("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"))
        try check(
            key,
            r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
            s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
    }

    // RFC 6979 appendix A.2.6, message "sample", SHA-384.
    @Test func `ECDSA on each curve verifies the signature of RFC 6979 on P-384`() throws {
        let key = try P384.Signing.PrivateKey(
            rawRepresentation: unhexed(
                "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D8"
                    + "96D5724E4C70A825F872C9EA60D2EDF5"))
        expectEqual(
            hexadecimal(key.publicKey.rawRepresentation).uppercased(),
            "EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64DEF8F0EA9055866064A254515480BC13"
                + "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1288B231C3AE0D4FE7344FD2533264720")
        try check(
            key,
            r: "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46",
            s: "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8")
    }

    // RFC 6979 appendix A.2.7, message "sample", SHA-512.
    @Test func `ECDSA on each curve verifies the signature of RFC 6979 on P-521`() throws {
        let key = try P521.Signing.PrivateKey(
            rawRepresentation: unhexed(
                "00FAD06DAA62BA3B25D2FB40133DA757205DE67F5BB0018FEE8C86E1B68C7E75"
                    + "CAA896EB32F1F47C70855836A6D16FCC1466F6D8FBEC67DB89EC0C08B0E996B83538"))
        try check(
            key,
            r: "00C328FAFCBD79DD77850370C46325D987CB525569FB63C5D3BC53950E6D4C5F"
                + "174E25A1EE9017B5D450606ADD152B534931D7D4E8455CC91F9B15BF05EC36E377FA",
            s: "00617CCE7CF5064806C467F678D3B4080D6F1CC50AF26CA209417308281B68AF"
                + "282623EAA63E5B5C0723D8B8C37FF0777B1A20F8CCB1DCCC43997F1EE0E44DA4A67A")
    }

    private func check<Curve: NISTCurve>(_ key: NISTSigning<Curve>.PrivateKey, r: String, s: String) throws {
        let signature = try NISTSigning<Curve>.ECDSASignature(rawRepresentation: unhexed(r + s))
        #expect(key.publicKey.isValidSignature(signature, for: "sample".utf8))
        #expect(!key.publicKey.isValidSignature(signature, for: "sampl".utf8))
        let swapped = try NISTSigning<Curve>.ECDSASignature(rawRepresentation: unhexed(s + r))
        #expect(!key.publicKey.isValidSignature(swapped, for: "sample".utf8))
    }

    @Test
    func `ECDSA on each curve takes the secret numbers 1 and order less 1, whose points mirror each other`() throws {
        func number(_ low: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count - 1) + [low] }
        let order = unhexed("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        let one = try P256.Signing.PrivateKey(rawRepresentation: number(1, 32))
        let last = try P256.Signing.PrivateKey(rawRepresentation: order.dropLast() + [0x50])
        // SEC 2 §2.4.2: the base point's first coordinate.
        expectEqual(
            hexadecimal(one.publicKey.rawRepresentation.prefix(32)),
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
        expectEqual(one.publicKey.rawRepresentation.prefix(32), last.publicKey.rawRepresentation.prefix(32))
        expectNotEqual(one.publicKey, last.publicKey)
        try expectEqual(one.rawRepresentation, number(1, 32))
        _ = try P384.Signing.PrivateKey(rawRepresentation: number(1, 48))
        _ = try P521.Signing.PrivateKey(rawRepresentation: number(1, 66))
    }

    @Test func `ECDSA on each curve refuses secret numbers of another length, zero, or above the order`() {
        func refuses<Curve: NISTCurve>(_ curve: Curve.Type, _ secret: [UInt8]) -> Bool {
            do {
                _ = try NISTSigning<Curve>.PrivateKey(rawRepresentation: secret)
                return false
            } catch {
                return CryptoError.malformedKey ~= error
            }
        }
        for count in 0..<70 {
            let ones = [UInt8](repeating: 1, count: count)
            expectEqual(refuses(P256.self, ones), count != 32)
            expectEqual(refuses(P384.self, ones), count != 48)
            // Sixty-six bytes of 1 are a number of 513 bits, below an order of 521.
            expectEqual(refuses(P521.self, ones), count != 66)
            #expect(refuses(P384.self, [UInt8](repeating: 0, count: count)))
            #expect(refuses(P521.self, [UInt8](repeating: 0xFF, count: count)))
        }
    }

    @Test func `ECDSA on each curve has keys that equal only those of the same point`() throws {
        let key = try P384.Signing.PrivateKey()
        let again = try P384.Signing.PublicKey(rawRepresentation: AnyCollection(key.publicKey.rawRepresentation))
        expectEqual(again, key.publicKey)
        expectEqual(again.x963Representation, [4] + key.publicKey.rawRepresentation)
        try expectEqual(Set([again, key.publicKey, P384.Signing.PrivateKey().publicKey]).count, 2)
        expectEqual("\(key)", "P-384 private key (redacted)")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test func `ECDSA on each curve refuses a point in any form but the uncompressed one`() throws {
        let point = try P256.Signing.PrivateKey().publicKey.x963Representation
        for form in [0, 2, 3, 5, 6, 7, 0xFF] as [UInt8] {
            #expect { try P256.Signing.PublicKey(x963Representation: [form] + point.dropFirst()) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
        for count in [0, 63, 65, 96] {
            #expect { try P256.Signing.PublicKey(rawRepresentation: [UInt8](repeating: 1, count: count)) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
    }

    @Test func `ECDSA on each curve refuses a coordinate that is not below the field's prime`() throws {
        // The prime itself stands for zero, and a second spelling of a point would be a second name of a key.
        let prime = unhexed("FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF")
        let y = unhexed("66485C780E2F83D72433BD5D84A06BB6541C2AF31DAE871728BF856A174F93F4")
        let zero = [UInt8](repeating: 0, count: 32)
        // The point with x = 0 is on P-256: y is a root of the curve's constant.
        _ = try P256.Signing.PublicKey(rawRepresentation: zero + y)
        #expect { try P256.Signing.PublicKey(rawRepresentation: prime + y) } throws: { CryptoError.malformedKey ~= $0 }
    }

    @Test
    func `ECDSA on each curve signs and verifies with one key on many tasks at once, on every curve`() async throws {
        try await hammer(P256.self)
        try await hammer(P384.self)
        try await hammer(P521.self)
    }

    private func hammer<Curve: NISTCurve>(_ curve: Curve.Type) async throws {
        let key = try NISTSigning<Curve>.PrivateKey()
        // More tasks than contexts are kept, so that some are made, kept, lent and freed while others work.
        let good = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<80 {
                group.addTask {
                    let text = [UInt8](repeating: UInt8(worker), count: worker)
                    let signature = try key.signature(for: text)
                    await Task.yield()
                    let isGood = key.publicKey.isValidSignature(signature, for: text)
                    return isGood && !key.publicKey.isValidSignature(signature, for: text + [0]) ? 1 : 0
                }
            }
            return try await group.reduce(0, +)
        }
        expectEqual(good, 80)
    }
}
