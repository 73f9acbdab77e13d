// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import Testing

@Suite struct Argon2Tests {
    private let salt = Array("somesalt".utf8)

    private func cost(
        memory: Int = 64, passes: Int = 1, lanes: Int = 1, bytes: Int = 32
    ) throws -> Argon2Parameters {
        try Argon2Parameters(memoryKiB: memory, passes: passes, lanes: lanes, outputByteCount: bytes)
    }

    @Test func `Hashing by argon2id is a function of the password, the salt and every parameter`() throws {
        let password = Array("password".utf8)
        let hashes = try [
            Argon2id.hash(password: password, salt: salt, parameters: cost()),
            Argon2id.hash(password: password + [0], salt: salt, parameters: cost()),
            Argon2id.hash(password: [], salt: salt, parameters: cost()),
            Argon2id.hash(password: password, salt: salt + [0], parameters: cost()),
            Argon2id.hash(password: password, salt: salt, parameters: cost(memory: 65)),
            Argon2id.hash(password: password, salt: salt, parameters: cost(passes: 2)),
            Argon2id.hash(password: password, salt: salt, parameters: cost(lanes: 2)),
            Argon2id.hash(password: password, salt: salt, parameters: cost(bytes: 33)).dropLast(),
        ]
        expectEqual(Set(hashes).count, hashes.count)
        try expectEqual(Argon2id.hash(password: password, salt: salt, parameters: cost()), hashes[0])
    }

    @Test(arguments: [16, 17, 32, 63, 64])
    func `Hashing by argon2id gives as many bytes as asked for`(count: Int) throws {
        try expectEqual(Argon2id.hash(password: [1], salt: salt, parameters: cost(bytes: count)).count, count)
    }

    @Test func `Hashing by argon2id takes salts of 8 to 64 bytes`() throws {
        for count in [8, 9, 63, 64] {
            _ = try Argon2id.hash(password: [1], salt: [UInt8](repeating: 1, count: count), parameters: cost())
        }
        for count in [0, 1, 7, 65, 1_000] {
            #expect {
                try Argon2id.hash(password: [1], salt: [UInt8](repeating: 1, count: count), parameters: cost())
            } throws: {
                CryptoError.unacceptableParameter ~= $0
            }
        }
    }

    @Test func `Hashing by argon2id takes passwords up to a mebibyte, and refuses longer ones`() throws {
        let longest = [UInt8](repeating: 1, count: 1 << 20)
        _ = try Argon2id.hash(password: longest, salt: salt, parameters: cost())
        #expect { try Argon2id.hash(password: longest + [1], salt: salt, parameters: cost()) } throws: {
            CryptoError.unacceptableParameter ~= $0
        }
        let hash = try PasswordHash(parsing: PasswordHash.make("a", parameters: cost()))
        #expect { try hash.verifies(String(repeating: "a", count: 1 << 20 + 1)) } throws: {
            CryptoError.unacceptableParameter ~= $0
        }
    }

    @Test func `Hashing by argon2id is bounded in every parameter, at the bound`() throws {
        _ = try cost(memory: 8)
        for (memory, passes) in [(1 << 20, 4), (1 << 18, 16)] {
            _ = try cost(memory: memory, passes: passes, lanes: 4, bytes: 64)
        }
        let beyond: [() throws -> Argon2Parameters] = [
            { try cost(memory: 7) }, { try cost(memory: 1 << 20 + 1) }, { try cost(memory: 31, lanes: 4) },
            { try cost(memory: -1) }, { try cost(memory: .max) }, { try cost(memory: .min) },
            { try cost(passes: 0) }, { try cost(passes: 17) }, { try cost(passes: .max) },
            { try cost(lanes: 0) }, { try cost(lanes: 5) }, { try cost(lanes: -1) }, { try cost(lanes: .max) },
            { try cost(bytes: 15) }, { try cost(bytes: 65) }, { try cost(bytes: .min) },
        ]
        for make in beyond { #expect { try make() } throws: { CryptoError.unacceptableParameter ~= $0 } }
    }

    @Test func `Hashing by argon2id costs by default what OWASP recommends first`() {
        let cost = Argon2Parameters.default
        #expect(cost.memoryKiB == 19_456 && cost.passes == 2 && cost.lanes == 1 && cost.outputByteCount == 32)
    }

    @Test func `Hashing by argon2id runs on several tasks at once without mixing anything up`() async throws {
        let parameters = try cost()
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let hash = try PasswordHash(parsing: PasswordHash.make("pw\(number)", parameters: parameters))
                    return try hash.verifies("pw\(number)") && !hash.verifies("pw\(number + 1)")
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(good, 16)
    }

    @Test func `Hashing by argon2id hashes bytes, so that two spellings of a letter are two passwords`() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        expectEqual(composed, decomposed)
        let hash = try PasswordHash(parsing: PasswordHash.make(composed, parameters: cost()))
        #expect(try hash.verifies(composed))
        #expect(try hash.verifies("x\(composed)".dropFirst()))
        #expect(try !hash.verifies(decomposed))
    }

    @Test func `Hashing by argon2id asks for a new hash when any parameter is not the wanted one`() throws {
        let hash = try PasswordHash(parsing: PasswordHash.make("a", parameters: cost()))
        #expect(try !hash.needsRehash(cost()))
        for wanted in try [cost(memory: 65), cost(memory: 63), cost(passes: 2), cost(lanes: 2), cost(bytes: 64)] {
            #expect(hash.needsRehash(wanted))
        }
        expectEqual("\(hash)", "PasswordHash(argon2id, 64 KiB, 1 passes, redacted)")
        #expect(Mirror(reflecting: hash).children.isEmpty)
    }
}
