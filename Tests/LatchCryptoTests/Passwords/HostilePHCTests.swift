// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct HostilePHCTests {
    private static let salt = "c29tZXNhbHQ"
    private static let hash = "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
    private static let good = "$argon2id$v=19$m=256,t=2,p=1$\(salt)$\(hash)"

    private func isRefused(_ text: String) -> Bool {
        do {
            _ = try PasswordHash(parsing: text)
            return false
        } catch {
            return CryptoError.malformedHash ~= error
        }
    }

    @Test func `A hostile PHC string is distinguished from an honest one, which is accepted`() throws {
        #expect(!isRefused(Self.good))
        let hash = try PasswordHash(parsing: Self.good)
        #expect(hash.parameters.memoryKiB == 256 && hash.parameters.passes == 2 && hash.parameters.lanes == 1)
        expectEqual(hash.parameters.outputByteCount, 32)
    }

    @Test(arguments: [
        " \(good)", "\(good) ", "\(good)\n", "\n\(good)", "\(good)\u{0}", "\u{FEFF}\(good)", "\(good)=", "$\(good)",
        String(good.dropFirst()), good.uppercased(), "\(good)$", "\(good)$data=x", "$$\(good.dropFirst())",
    ])
    func `A hostile PHC string with anything around the honest one is refused`(text: String) {
        #expect(isRefused(text))
    }

    @Test(arguments: [
        "argon2", "argon2i", "argon2d", "argon2ID", "Argon2id", "argon2id ", " argon2id", "argon2id\u{301}", "scrypt",
        "2b", "pbkdf2-sha256", "",
    ])
    func `A hostile PHC string of another function is refused`(name: String) {
        #expect(isRefused("$\(name)$v=19$m=256,t=2,p=1$\(Self.salt)$\(Self.hash)"))
    }

    @Test(arguments: [
        "v=16", "v=18", "v=20", "v=019", "v=19 ", "v= 19", "V=19", "v=+19", "19", "v", "", "v=0x13", "v=１９",
    ])
    func `A hostile PHC string of another version is refused`(version: String) {
        #expect(isRefused("$argon2id$\(version)$m=256,t=2,p=1$\(Self.salt)$\(Self.hash)"))
    }

    @Test(arguments: [
        "m=256,t=2,p=1,", ",m=256,t=2,p=1", "m=256,,t=2,p=1", "m=256;t=2;p=1", "m=256 ,t=2,p=1", "m =256,t=2,p=1",
        "m=,t=2,p=1", "m=256,t=,p=1", "m=256,t=2,p=", "M=256,t=2,p=1", "m=256,m=256,p=1", "m=256,t=2,t=2",
        "m=256,t=2,p=1.0", "m=2e2,t=2,p=1", "m=0x100,t=2,p=1", "m=256,t=02,p=1", "m=256,t=2,p=01", "m=256,t=-2,p=1",
        "m=10000000,t=2,p=1", "m=99999999,t=2,p=1", "m=256,t=10000000,p=1", "m=256,t=2,p=10000000",
        "m=18446744073709551872,t=2,p=1", "m=256,t=2,p=1,keyid=x", "m=256,t=2,p=1,data=x", "p=1,t=2,m=256",
        "m=٢٥٦,t=2,p=1",
        "m\u{338}=256,t=2,p=1", "m=256\u{301},t=2,p=1", "m=256\r\n,t=2,p=1",
    ])
    func `A hostile PHC string with parameters that are spelled in any but the one way is refused`(parameters: String) {
        #expect(isRefused("$argon2id$v=19$\(parameters)$\(Self.salt)$\(Self.hash)"))
    }

    @Test func `A hostile PHC string is taken up to each bound of its cost, and refused one step beyond`() throws {
        func text(_ memory: Int, _ passes: Int, _ lanes: Int) -> String {
            "$argon2id$v=19$m=\(memory),t=\(passes),p=\(lanes)$\(Self.salt)$\(Self.hash)"
        }
        for (memory, passes, lanes) in [
            (8, 1, 1), (1 << 18, 16, 1), (1 << 20, 4, 1), (32, 1, 4), (16, 16, 2), (1 << 20, 1, 4),
        ] {
            #expect(!isRefused(text(memory, passes, lanes)), "\(memory) \(passes) \(lanes)")
        }
        for (memory, passes, lanes) in [
            (7, 1, 1), (1 << 20 + 1, 1, 1), (1 << 20, 5, 1), (8, 17, 1), (31, 1, 4), (15, 1, 2), (40, 1, 5), (8, 0, 1),
            (8, 1, 0),
        ] {
            #expect(isRefused(text(memory, passes, lanes)), "\(memory) \(passes) \(lanes)")
        }
    }

    @Test
    func `A hostile PHC string is taken with a salt of 8 to 64 bytes and a hash of 16 to 64, and with no other`() {
        for count in 0...80 {
            let bytes = Self.base64([UInt8](repeating: 0x41, count: count))
            let salted = "$argon2id$v=19$m=256,t=2,p=1$\(bytes)$\(Self.hash)"
            expectEqual(isRefused(salted), !(8...64).contains(count), "salt of \(count) bytes")
            let hashed = "$argon2id$v=19$m=256,t=2,p=1$\(Self.salt)$\(bytes)"
            expectEqual(isRefused(hashed), !(16...64).contains(count), "hash of \(count) bytes")
        }
    }

    @Test func `A hostile PHC string of 257 bytes is not read, and the longest honest one still fits`() {
        let longest = Self.base64([UInt8](repeating: 0xFF, count: 64))
        #expect(!isRefused("$argon2id$v=19$m=262144,t=16,p=4$\(longest)$\(longest)"))
        for count in [257, 1_000, 1 << 20] { #expect(isRefused(String(repeating: "$", count: count))) }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `A hostile PHC string that is an honest one with a byte changed is refused or canonical`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            var bytes = Array(Self.good.utf8)
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            switch Int.random(in: 0..<3, using: &numbers) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &numbers), at: place)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard !isRefused(text) else { continue }
            // Only the numbers, the salt and the hash can differ in what is taken.
            let fields = text.split(separator: "$", omittingEmptySubsequences: false)
            #expect(fields.count == 6 && fields[1] == "argon2id" && fields[2] == "v=19", "seed \(seed)")
            let cost = try PasswordHash(parsing: text).parameters
            expectEqual(fields[3], "m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)", "seed \(seed)")
        }
    }

    /// Base64 without padding (RFC 4648 §4), as PHC strings write bytes.
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return stride(from: 0, to: bits.count, by: 6).map { start in
            let six = (0..<6).map { start + $0 < bits.count ? bits[start + $0] : 0 }
            return String(alphabet[six.reduce(0) { $0 << 1 | Int($1) }])
        }.joined()
    }
}
