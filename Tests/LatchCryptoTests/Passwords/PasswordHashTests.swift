// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestTags
import Testing

@Suite struct PasswordHashTests {
    private static func cheap() throws -> Argon2Parameters { try Argon2Parameters(memoryKiB: 64, passes: 1) }

    // Made by the reference implementation's own command: echo -n password | argon2 somesalt -id -v 13 -t 2 -k 256 -p 1
    @Test func `A password hash matches the reference implementation`() throws {
        let hash = try Argon2id.hash(
            password: Array("password".utf8), salt: Array("somesalt".utf8),
            parameters: Argon2Parameters(memoryKiB: 256, passes: 2))
        expectEqual(hexadecimal(hash), "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe")
        let stored = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        #expect(try PasswordHash(parsing: stored).verifies("password"))
    }

    @Test func `A password hash knows its password and no other`() throws {
        let text = try PasswordHash.make("correct horse", parameters: Self.cheap())
        let hash = try PasswordHash(parsing: text)
        #expect(try hash.verifies("correct horse"))
        for wrong in ["", "correct hors", "correct horse ", "Correct horse", "correct\u{0}horse"] {
            #expect(try !hash.verifies(wrong))
        }
    }

    @Test func `A password hash differs each time, by its salt`() throws {
        try expectNotEqual(
            PasswordHash.make("a", parameters: Self.cheap()), PasswordHash.make("a", parameters: Self.cheap()))
    }

    @Test func `A password hash takes any password, also an empty, a long or a foreign one`() throws {
        for password in ["", "pässwörd 🔑", "nul\u{0}inside", String(repeating: "x", count: 10_000)] {
            let hash = try PasswordHash(parsing: PasswordHash.make(password, parameters: Self.cheap()))
            #expect(try hash.verifies(password))
            #expect(try !hash.verifies(password + "x"))
        }
    }

    @Test func `A password hash says when it should be renewed`() throws {
        let hash = try PasswordHash(parsing: PasswordHash.make("a", parameters: Self.cheap()))
        #expect(try !hash.needsRehash(Self.cheap()))
        #expect(hash.needsRehash(.default))
        let weakSalt = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        #expect(try PasswordHash(parsing: weakSalt).needsRehash(Argon2Parameters(memoryKiB: 256, passes: 2)))
    }

    @Test(
        .tags(.hostileHash),
        arguments: [
            "m=4194304,t=2,p=1", "m=1048577,t=2,p=1", "m=19456,t=17,p=1", "m=19456,t=4294967295,p=1", "m=19456,t=2,p=5",
            "m=0,t=2,p=1", "m=7,t=2,p=1", "m=16,t=2,p=4", "m=19456,t=0,p=1", "m=19456,t=2,p=0", "m=-1,t=2,p=1",
            "m=+256,t=2,p=1",
            "m=99999999999999999999,t=2,p=1", "m=19456,t=2", "t=2,m=19456,p=1", "m=19456,t=2,p=1,x=1", "m=0256,t=2,p=1",
            "",
            "m=2５6,t=2,p=1",
        ])
    func `A password hash with hostile parameters is refused before it costs anything`(parameters: String) {
        let text = "$argon2id$v=19$\(parameters)$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        #expect { try PasswordHash(parsing: text) } throws: { CryptoError.malformedHash ~= $0 }
    }

    @Test(
        .tags(.hostileHash),
        arguments: [
            "", "$", "password", "$2b$12$abcdefghijklmnopqrstuv",
            "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEs",
            "$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$c2FsdA$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ=$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQ", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR_uIPnA4rEsF5h7TKyQwu9U1bMCHGi-4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$",
            "x$argon2id$v=19$a$b$c",
        ])
    func `A password hash of another kind or shape is refused`(text: String) {
        #expect { try PasswordHash(parsing: text) } throws: { CryptoError.malformedHash ~= $0 }
    }

    @Test(.tags(.hostileHash)) func `A password hash of endless length is refused`() {
        let text = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$" + String(repeating: "A", count: 1 << 20)
        #expect { try PasswordHash(parsing: text) } throws: { CryptoError.malformedHash ~= $0 }
    }

    @Test func `A password hash cannot be requested at a careless cost`() {
        #expect(throws: CryptoError.self) { try Argon2Parameters(memoryKiB: 2 << 20, passes: 1) }
        #expect(throws: CryptoError.self) { try Argon2Parameters(memoryKiB: 64, passes: 0) }
        #expect(throws: CryptoError.self) { try Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 9) }
        #expect(throws: CryptoError.self) { try Argon2Parameters(memoryKiB: 64, passes: 1, outputByteCount: 4) }
        #expect(throws: CryptoError.self) {
            try Argon2id.hash(password: [], salt: [1, 2, 3], parameters: Self.cheap())
        }
    }

    @Test(.tags(.hostileHash))
    func `A password hash of another system is accepted up to four passes over a gigabyte`() {
        // Authelia's, Keycloak's and Supabase's defaults, and the second choice of RFC 9106 §4.
        for usual in ["m=65536,t=3,p=4", "m=7168,t=5,p=1", "m=16,t=2,p=1", "m=1048576,t=4,p=1", "m=262144,t=16,p=4"] {
            expectEqual(Argon2Parameters(usual)?.description, usual)
        }
        for hostile in ["m=1048576,t=5,p=1", "m=524288,t=9,p=1", "m=1048577,t=1,p=1", "m=1048576,t=16,p=4"] {
            expectNil(Argon2Parameters(hostile), "\(hostile)")
        }
    }
}
