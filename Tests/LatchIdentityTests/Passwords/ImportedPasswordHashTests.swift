// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestTags
import Testing

@testable import LatchIdentityAccounts

@Suite struct ImportedPasswordHashTests {
    @Test(arguments: ImportedHashVector.all)
    func `An imported hash matches its password and no other, also after it was stored`(
        vector: ImportedHashVector
    ) throws {
        let hash = try ImportedPasswordHash(parsing: vector.hash)
        expectEqual(hash.format, vector.format)
        #expect(try hash.verifies(vector.password))
        let stored = try #require(StoredPassword(hash.stored))
        #expect(try stored.verifies(vector.password))
        for wrong in ["", "X\(vector.password.dropFirst())", "\u{0}\(vector.password)"] {
            #expect(try !stored.verifies(wrong), "\(wrong)")
        }
    }

    @Test(arguments: ImportedHashVector.all)
    func `An imported hash prints its format and nothing else`(vector: ImportedHashVector) throws {
        let hash = try ImportedPasswordHash(parsing: vector.hash)
        let secret = String(vector.hash.suffix(12))
        #expect(!"\(hash)".contains(secret))
        #expect("\(hash)".contains(vector.format))
        #expect(Mirror(reflecting: hash).children.isEmpty)
    }

    @Test(.tags(.accountEnumeration), arguments: ImportedHashVector.all)
    func `An imported hash has decoys of the same function, parameters and lengths, that match no password`(
        vector: ImportedHashVector
    ) throws {
        let stored = try ImportedPasswordHash(parsing: vector.hash).stored
        let fields = stored.split(separator: "$", omittingEmptySubsequences: false)
        guard fields[1] == "imported" else { return expectEqual(fields[1], "argon2id") }
        for _ in 0..<8 {
            let decoy = try #require(ImportedPasswordHash(decoyFor: String(fields[3]))).stored
            let parts = decoy.split(separator: "$", omittingEmptySubsequences: false)
            expectEqual(parts.map(\.utf8.count), fields.map(\.utf8.count))
            expectEqual(parts[0...3], fields[0...3])
            expectNotEqual(parts[5], fields[5])
            let parsed = try #require(ImportedPasswordHash(stored: decoy))
            // It is computed to the end: a salt that the function rejects would take no time.
            #expect(try !parsed.verifies(vector.password))
        }
    }

    @Test func `An imported argon2id hash within the bounds of this server's own stays as it is`() throws {
        let text = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        try expectEqual(ImportedPasswordHash(parsing: text).stored, text)
        try expectEqual(ImportedPasswordHash(parsing: "argon2\(text)").stored, text)
    }

    @Test(arguments: ["$2a$", "$2b$", "$2y$"])
    func `An imported hash of bcrypt matches a password that was cut after 72 bytes`(prefix: String) throws {
        // crypt_blowfish's own test.
        let text = "\(prefix)05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        let hash = try ImportedPasswordHash(parsing: text)
        let cut = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        #expect(try hash.verifies(cut))
        #expect(try hash.verifies("\(cut)chars after 72 are ignored"))
        #expect(try !hash.verifies(String(cut.dropLast())))
    }

    @Test(arguments: ImportedHashVector.all)
    func `An imported hash never matches a password with a zero byte after the right one`(
        vector: ImportedHashVector
    ) throws {
        let hash = try ImportedPasswordHash(parsing: vector.hash)
        for rest in ["", "x", "\u{0}"] {
            #expect(try !hash.verifies("\(vector.password)\u{0}\(rest)"))
        }
    }

    @Test func `An imported hash of PBKDF2 is stored with one block of its digest`() throws {
        let vector = try #require(ImportedHashVector.all.first { $0.hash.hasPrefix("pbkdf2:sha256:1$") })
        let stored = try ImportedPasswordHash(parsing: vector.hash).stored
        #expect(stored.hasPrefix("$imported$v=1$pbkdf2-sha256,i=1,s=4,d=32,k=0$"))
    }

    @Test func `An imported hash has a name of one word and an example in the errors for each format`() {
        let formats = HashFormat.all + [HashFormat.betterAuth]
        expectEqual(Set(formats.map(\.name)).count, formats.count)
        expectEqual(Set(formats.map(\.name)), Set(ImportedHashVector.all.map(\.format)))
        for format in formats {
            #expect(!format.name.contains(" "))
            #expect(ImportedHashError.unknownFormat.hint?.contains("\(format.name) (\(format.form))") == true)
        }
        let prefixes = formats.flatMap(\.prefixes)
        for prefix in prefixes {
            // The first format that a prefix fits is the only one.
            expectEqual(prefixes.filter { prefix.hasPrefix($0) || $0.hasPrefix(prefix) }, [prefix])
        }
    }

    @Test func `An imported hash names a function by one name, which no cost of argon2id begins with`() {
        let names = PasswordFunction.all.map(\.name)
        expectEqual(Set(names).count, names.count)
        #expect(!names.contains { $0.hasPrefix("m=") })
        #expect(!names.contains { $0.contains(",") || $0.contains("$") })
    }
}
