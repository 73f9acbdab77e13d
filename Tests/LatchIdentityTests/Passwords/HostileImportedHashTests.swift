// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestTags
import TestVectors
import Testing

@testable import LatchIdentityAccounts

@Suite struct HostileImportedHashTests {
    private static let key = String(repeating: "A", count: 43)
    private static let hex = String(repeating: "0", count: 64)
    private static let digits53 = String(repeating: "a", count: 53)

    private static func firebase(_ cost: String, signer: String = key) -> String {
        "$firescrypt$\(cost)$c2FsdA$\(key)$Bw$\(signer)"
    }

    private static func aspNet(_ bytes: [UInt8]) -> String {
        "aspnet$" + String(decoding: Base64Alphabet.standard.encode(bytes), as: UTF8.self)
    }

    /// Texts of no format.
    private static let unknown = [
        "", "$", "password", "5f4dcc3b5aa765d61d8327deb882cf99", "$2$05$\(digits53)", "$2x$05$\(digits53)",
        "$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D", "$apr1$saltsalt$abc", "{MD5}abc",
        "{CRYPT}$1$a$b", " $2b$05$\(digits53)", "$2b$05$\(digits53)\n", "$2b$05$\u{E4}", "\u{0}$2b$05$\(digits53)",
        "$wp$2b$05$\(digits53)", "$gy$j9T$salt$hash", "sha1$salt$hash", "md5$salt$hash", "argon2$bcrypt",
        String(repeating: "0", count: 32) + ";" + String(repeating: "0", count: 128),
        "$imported$v=1$ssha1,s=0,d=20,k=0$$W6ph5Mm5Pz8GgiULbPgzG37mj9g$", "$1$" + String(repeating: "a", count: 2_046),
    ]

    /// Texts that begin like a format, and the reason.
    private static let malformed: [(text: String, why: String)] = [
        ("$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ", "fields"),
        ("$argon2id$v=19$m=64,t=1$c2FsdHNhbHQ$\(key)", "m, t, p"),
        ("$argon2id$v=19$t=1,m=64,p=1$c2FsdHNhbHQ$\(key)", "m, t, p"),
        ("$argon2id$v=19$m=64,t=1,p=1,x=1$c2FsdHNhbHQ$\(key)", "m, t, p"),
        ("$argon2id$v=x$m=64,t=1,p=1$c2FsdHNhbHQ$\(key)", "v is not a number"),
        ("$argon2id$v=19$m=+64,t=1,p=1$c2FsdHNhbHQ$\(key)", "m is not a number"),
        ("$argon2id$v=19$m=064,t=1,p=1$c2FsdHNhbHQ$\(key)", "m is not a number"),
        ("$argon2id$v=19$m=-64,t=1,p=1$c2FsdHNhbHQ$\(key)", "m is not a number"),
        ("$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhb*Q$\(key)", "salt is not base64"),
        ("$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$A", "digest is not base64"),
        ("$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$\(key)$", "fields"),
        ("argon2$argon2x$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$\(key)", "not one of argon2"),
        ("$2b$05$\(digits53)a", "60 characters"), ("$2b$5$\(digits53)", "60 characters"), ("$2b$05", "fields"),
        ("$2b$0x$\(digits53)", "cost is not a number"), ("$2b$05$\(digits53.dropLast())*", "foreign character"),
        ("bcrypt$$2x$05$\(digits53)", "not $2a$"), ("bcrypt_sha256$2b$05$\(digits53)", "fields"),
        ("$wp$2y$05$\(digits53.dropLast())", "60 characters"),
        ("$scrypt$ln=10,r=8$c2FsdA$\(key)", "ln, r, p"), ("$scrypt$ln=1000,r=8,p=1$c2FsdA$\(key)", "power of two"),
        ("$scrypt$ln=10,r=8,p=1$c2FsdA", "fields"), ("scrypt$1000$salt$8$1$\(key)", "power of two"),
        ("scrypt$0$salt$8$1$\(key)", "power of two"), ("scrypt$1$salt$8$1$\(key)", "power of two"),
        ("scrypt$1024$salt$8$\(key)", "fields"), ("scrypt:1024:8$salt$\(hex)", "fields"),
        ("scrypt:1023:8:1$salt$\(hex)", "power of two"), ("scrypt:1024:8:1$salt$\(hex)0", "hexadecimal"),
        ("scrypt:1024:8:1$salt$\(hex.dropLast())g", "hexadecimal"), (firebase("ln=14,r=8"), "ln, r, p"),
        ("$firescrypt$ln=14,r=8,p=1$c2FsdA$\(key)$Bw", "fields"),
        ("\(hex.prefix(31))g:\(hex)\(hex)", "salt is not hexadecimal"),
        ("\(hex.prefix(32)):\(hex)\(hex.dropLast())g", "digest is not hexadecimal"),
        ("$pbkdf2-sha256$i=10,l=31$c2FsdA$\(key)", "l bytes"), ("$pbkdf2-sha256$l=32,i=10$c2FsdA$\(key)", "a number"),
        ("$pbkdf2-sha256$x$c2FsdA$\(key)", "iterations is not a number"), ("$pbkdf2-sha256$10$c2FsdA", "fields"),
        ("pbkdf2_sha256$10$salt", "fields"), ("pbkdf2_sha256$-1$salt$\(key)", "not a number"),
        ("pbkdf2:md5:10$salt$\(hex)", "not supported"), ("pbkdf2:sha256$salt$\(hex)", "fields"),
        ("aspnet$", "neither 2 nor 3"), ("aspnet$Ag", "neither 2 nor 3"), ("aspnet$AA", "49 bytes"),
        ("aspnet$AQ", "header"), ("aspnet$!", "base64"), ("AQAAAA", "header"),
        (aspNet([1, 0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0, 16] + [UInt8](repeating: 0, count: 48)), "function is unknown"),
        (aspNet([1, 0, 0, 0, 1, 0, 0, 0, 9, 255, 255, 255, 255] + [UInt8](repeating: 0, count: 48)), "salt"),
        (aspNet([1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 48] + [UInt8](repeating: 0, count: 48)), "salt"),
        ("$5$rounds=5000$salt", "fields"), ("$5$rounds=x$salt$\(key)", "rounds is not a number"),
        ("$5$rounds=05000$salt$\(key)", "rounds is not a number"), ("$6$salt$a*", "foreign character"),
        ("$1$salt", "fields"), ("$y$j9T$salt", "fields"), ("$y$j9$salt$\(key)", "cost is not a j"),
        ("$y$j9T5$salt$\(key)", "cost is not a j"), ("$y$k9T$salt$\(key)", "cost is not a j"),
        ("$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L", "34 characters"), ("$P$*IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "34"),
        ("{SHA}c2FsdA==", "length of SHA"), ("{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "length of SSHA"),
        ("{SSHA256}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "length of SSHA256"), ("{SSHA}a}b", "fields"),
    ]

    /// Readable texts that are refused, and the bound.
    private static let excessive: [(text: String, why: String)] = [
        ("$argon2id$v=19$m=262145,t=1,p=1$c2FsdHNhbHQ$\(key)", "m is not within"),
        ("$argon2id$v=19$m=262144,t=9,p=1$c2FsdHNhbHQ$\(key)", "m times t"),
        ("$argon2id$v=19$m=8192,t=257,p=1$c2FsdHNhbHQ$\(key)", "t is not within"),
        ("$argon2id$v=19$m=64,t=0,p=1$c2FsdHNhbHQ$\(key)", "t is not within"),
        ("$argon2id$v=19$m=7,t=1,p=1$c2FsdHNhbHQ$\(key)", "m is not within"),
        ("$argon2id$v=19$m=64,t=1,p=17$c2FsdHNhbHQ$\(key)", "p is not within"),
        ("$argon2id$v=19$m=64,t=1,p=0$c2FsdHNhbHQ$\(key)", "p is not within"),
        ("$argon2id$v=19$m=63,t=1,p=8$c2FsdHNhbHQ$\(key)", "8 KiB for each lane"),
        ("$argon2id$v=18$m=64,t=1,p=1$c2FsdHNhbHQ$\(key)", "neither 16 nor 19"),
        ("$argon2id$v=20$m=64,t=1,p=1$c2FsdHNhbHQ$\(key)", "v is not within"),
        ("$argon2id$v=19$m=99999999999999999999,t=1,p=1$c2FsdHNhbHQ$\(key)", "m is too large"),
        ("$argon2id$v=19$m=64,t=1,p=1$c2FsdA$\(key)", "salt has not 8 to 64"),
        ("$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$AAAAAAAAAAAA", "digest has not 10 to 128"),
        ("$2b$03$\(digits53)", "cost is not within 4 to 14"), ("$2b$15$\(digits53)", "cost is not within 4 to 14"),
        ("$2b$31$\(digits53)", "cost is not within"), ("$2b$00$\(digits53)", "cost is not within"),
        ("$scrypt$ln=0,r=8,p=1$c2FsdA$\(key)", "ln is not within"),
        ("$scrypt$ln=21,r=1,p=1$c2FsdA$\(key)", "ln is not within"),
        ("$scrypt$ln=63,r=8,p=1$c2FsdA$\(key)", "ln is not within"),
        ("$scrypt$ln=18,r=16,p=1$c2FsdA$\(key)", "256 MiB"),
        ("$scrypt$ln=18,r=8,p=2$c2FsdA$\(key)", "N times r times p"),
        ("$scrypt$ln=10,r=0,p=1$c2FsdA$\(key)", "r is not within"), ("$scrypt$ln=10,r=8,p=0$c2FsdA$\(key)", "p is not"),
        ("$scrypt$ln=10,r=65,p=1$c2FsdA$\(key)", "r is not within"),
        ("$scrypt$ln=10,r=8,p=65$c2FsdA$\(key)", "p is not"),
        ("$scrypt$ln=10,r=8,p=1$$\(key)", "salt has not"), ("$scrypt$ln=10,r=8,p=1$c2FsdA$AAAA", "digest has not"),
        ("scrypt$1048576$salt$8$1$\(key)", "256 MiB"), ("scrypt:2097152:8:1$salt$\(hex)", "ln is not within"),
        ("scrypt:9999999999:8:1$salt$\(hex)", "N is too large"),
        (firebase("ln=19,r=8,p=1"), "256 MiB"), (firebase("ln=14,r=0,p=1"), "r is not within"),
        (firebase("ln=14,r=8,p=1", signer: "AAAA"), "signer key has not"),
        (firebase("ln=14,r=8,p=1", signer: key + key.prefix(21)), "not as long"),
        ("$pbkdf2-sha256$0$c2FsdA$\(key)", "i is not within"),
        ("$pbkdf2-sha256$3000001$c2FsdA$\(key)", "i is not within"),
        ("$pbkdf2-sha512$1400001$c2FsdA$\(key)", "i is not within"), ("$pbkdf2$10$c2FsdA$AAAA", "digest has not"),
        ("$pbkdf2-sha256$9999999999$c2FsdA$\(key)", "too large"), ("pbkdf2_sha256$4000000$salt$\(key)", "i is not"),
        ("pbkdf2:sha1:0$salt$\(hex)", "i is not within"),
        (aspNet([1, 0, 0, 0, 1, 255, 255, 255, 255, 0, 0, 0, 16] + [UInt8](repeating: 0, count: 48)), "i is not"),
        (aspNet([1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16] + [UInt8](repeating: 0, count: 48)), "i is not within"),
        (aspNet([1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 40] + [UInt8](repeating: 0, count: 48)), "digest has not"),
        ("$5$rounds=999$salt$\(key)", "rounds is not within"), ("$5$rounds=700001$salt$\(key)", "rounds is not within"),
        ("$5$rounds=0$salt$\(key)", "rounds is not within"), ("$5$rounds=9999999999$salt$\(key)", "too large"),
        ("$5$saltsaltsaltsalt1$\(key)", "salt has not 0 to 16"), ("$5$sa:t$\(key)", "salt has a foreign"),
        ("$6$salt$\(key)", "digest has not 86"), ("$1$saltsalt1$aaaaaaaaaaaaaaaaaaaaaa", "salt has not 0 to 8"),
        ("$1$salt$aaa", "digest has not 22"),
        ("$y$jET$saltsal1$\(key)", "256 MiB"), ("$y$jzT$saltsal1$\(key)", "ln is not"),
        ("$y$j9z$saltsal1$\(key)", "r is not within"), ("$y$j9T$saltz$\(key)", "whole bytes"),
        ("$y$j9T$saltzz$\(key)", "whole bytes"), ("$y$j9T$saltsal1$\(key)a", "digest has not 43"),
        ("$P$4IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "log2 is not"), ("$P$IIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "log2 is not"),
        ("$P$zIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "log2 is not within"), ("$P$9*QRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "foreign"),
    ]

    private static func error(_ text: String) -> ImportedHashError? {
        do throws(ImportedHashError) {
            _ = try ImportedPasswordHash(parsing: text)
            return nil
        } catch { return error }
    }

    @Test(.tags(.hostileHash), arguments: unknown)
    func `A hostile hash of no accepted format is refused with the list of them`(text: String) {
        let error = Self.error(text)
        expectEqual(error, .unknownFormat)
        #expect(error?.hint?.contains("bcrypt ($2b$") == true)
    }

    @Test(.tags(.hostileHash), arguments: malformed)
    func `A hostile hash that is not readable is refused with the reason`(text: String, why: String) {
        let error = Self.error(text)
        expectEqual(error?.code, "malformedHash")
        #expect(error?.message.contains(why) == true, "\(error?.message ?? "it was accepted")")
        #expect(error?.hint?.contains("bcrypt ($2b$") == true)
    }

    @Test(.tags(.hostileHash), arguments: excessive)
    func `A hostile hash that costs too much or protects too little is refused with the bound`(
        text: String, why: String
    ) {
        let error = Self.error(text)
        expectEqual(error?.code, "hashOutOfBounds")
        #expect(error?.message.contains(why) == true, "\(error?.message ?? "it was accepted")")
    }

    @Test(.tags(.hostileHash))
    func `A hostile hash is in no error, whether it is unknown, malformed or out of bounds`() {
        let texts = Self.unknown + Self.malformed.map(\.text) + Self.excessive.map(\.text)
        for text in texts {
            guard let error = Self.error(text) else { continue }
            for field in text.split(separator: "$") where field.utf8.count > 12 && !HashFormat.listing.contains(field) {
                #expect(!error.description.contains(field), "\(text)")
            }
        }
    }

    @Test(.tags(.hostileHash), arguments: ImportedHashVector.all)
    func `A hostile hash that is an honest one with a byte changed is refused, or is within the bounds`(
        vector: ImportedHashVector
    ) {
        var numbers = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            var bytes = Array(vector.hash.utf8)
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            switch Int.random(in: 0..<3, using: &numbers) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &numbers), at: place)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let hash = try? ImportedPasswordHash(parsing: text) else { continue }
            // What is imported can be read back from the store.
            #expect(StoredPassword(hash.stored) != nil, "\(text)")
        }
    }

    @Test(
        .tags(.hostileHash),
        arguments: [
            "$imported$v=2$ssha1,s=0,d=20,k=0$$W6ph5Mm5Pz8GgiULbPgzG37mj9g$",
            "$imported$v=1$ssha1,s=1,d=20,k=0$$W6ph5Mm5Pz8GgiULbPgzG37mj9g$",
            "$imported$v=1$ssha1,d=20,s=0,k=0$$W6ph5Mm5Pz8GgiULbPgzG37mj9g$",
            "$imported$v=1$ssha1$$W6ph5Mm5Pz8GgiULbPgzG37mj9g$", "$imported$v=1$$$$", "$imported$v=1$",
            "$imported$v=1$ssha1,s=0,d=20,k=0$$W6ph5Mm5Pz8GgiULbPgzG37mj9g",
            "$imported$v=1$ssha1,s=0,d=20,k=0$$W6ph5Mm5Pz8GgiULbPgzG37mj9g$$",
            "$imported$v=1$scrypt,ln=40,r=8,p=1,s=4,d=20,k=0$c2FsdA$W6ph5Mm5Pz8GgiULbPgzG37mj9g$",
            "$imported$v=1$scrypt,ln=010,r=8,p=1,s=4,d=20,k=0$c2FsdA$W6ph5Mm5Pz8GgiULbPgzG37mj9g$",
            "$imported$v=1$scrypt,ln=10,r=8,s=4,d=20,k=0$c2FsdA$W6ph5Mm5Pz8GgiULbPgzG37mj9g$",
            "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ])
    func `A hostile hash in the store is never computed`(text: String) {
        #expect(StoredPassword(text) == nil)
    }

    @Test(
        .tags(.hostileHash, .accountEnumeration),
        arguments: [
            "", ",", "scrypt", "scrypt,ln=40,r=8,p=1,s=4,d=20,k=0", "scrypt,ln=10,r=8,p=1,s=4,d=999999999,k=0",
            "scrypt,ln=10,r=8,p=1,s=4,d=-20,k=0", "scrypt,ln=10,r=8,p=1,s=4,d=20", "argon2id,v=19,m=64,t=1,p=1",
            "scrypt,ln=10,r=8,p=1,s=4,d=20,k=0,", "unknown,s=4,d=20,k=0", "m=64,t=1,p=1",
        ])
    func `A hostile cost in the store has no decoy`(cost: String) {
        #expect(ImportedPasswordHash(decoyFor: cost) == nil)
    }
}
