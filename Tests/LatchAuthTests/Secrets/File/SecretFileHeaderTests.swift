// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import Testing

@testable import LatchAuth

@Suite struct SecretFileHeaderTests {
    static let check = "AAAAAAAAAAAAAAAA"

    @Test(arguments: [
        "key \(check)", "passphrase \(check) m=8,t=1,p=1 AAAAAAAAAAAAAAAAAAAAAA", "keyring \(check) key-1",
        "passphrase \(check) m=1048576,t=4,p=4 AAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `The header of a file of secrets is written as it was read`(line: String) throws {
        let bytes = Array("latch-secrets-2\n\(line)\n".utf8)
        let header = try #require(SecretFileHeader(parsing: bytes + [1, 2, 3]))
        expectEqual(header.bytes, bytes)
    }

    @Test(arguments: [
        "", "key", "key ", "key  ", "key short", "key \(check) more", "KEY \(check)", "lock \(check)", " key \(check)",
        "keyring \(check)", "keyring \(check) ", "keyring \(check) a b",
        "keyring \(check) \(String(repeating: "n", count: 65))",
        "passphrase \(check)", "passphrase \(check) m=8,t=1,p=1", "passphrase \(check) m=8,t=1,p=1 AAAA",
        "passphrase \(check) m=08,t=1,p=1 AAAAAAAAAAAAAAAAAAAAAA", "passphrase \(check) m=8,t=1 AAAAAAAAAAAAAAAAAAAAAA",
        "passphrase \(check) m=+8,t=1,p=1 AAAAAAAAAAAAAAAAAAAAAA",
        "passphrase \(check) t=1,m=8,p=1 AAAAAAAAAAAAAAAAAAAAAA",
        "passphrase \(check) m=8,t=1,p=1,x=1 AAAAAAAAAAAAAAAAAAAAAA",
        "passphrase \(check) m=8,t=1,p=1 AAAAAAAAAAAAAAAAAAAAA=",
        // What would cost too much is refused before it is computed.
        "passphrase \(check) m=1048577,t=1,p=1 AAAAAAAAAAAAAAAAAAAAAA",
        "passphrase \(check) m=4294967296,t=1,p=1 AAAAAAAAAAAAAAAAAAAAAA",
        "passphrase \(check) m=8,t=17,p=1 AAAAAAAAAAAAAAAAAAAAAA",
        "passphrase \(check) m=7,t=1,p=1 AAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `The header of a file of secrets is refused if it is not exactly one`(line: String) {
        expectNil(SecretFileHeader(parsing: Array("latch-secrets-2\n\(line)\n".utf8)))
    }

    @Test(arguments: [
        "", "latch-secrets-2", "latch-secrets-2\nkey AAAAAAAAAAAAAAAA", "latch-secrets-3\nkey AAAAAAAAAAAAAAAA\n",
    ])
    func `The header of a file of secrets is refused if it is cut or of another version`(text: String) {
        expectNil(SecretFileHeader(parsing: Array(text.utf8)))
    }

    @Test(arguments: UInt64(1)...200)
    func `The header of a file of secrets is never read as anything but itself`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var bytes = Array("latch-secrets-2\npassphrase \(Self.check) m=64,t=3,p=1 AAAAAAAAAAAAAAAAAAAAAA\n".utf8)
        for _ in 0..<3 {
            let index = Int(random.next() % UInt64(bytes.count))
            bytes[index] = UInt8(truncatingIfNeeded: random.next())
        }
        if let header = SecretFileHeader(parsing: bytes) { #expect(bytes.starts(with: header.bytes)) }
    }
}
