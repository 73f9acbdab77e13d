// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchGenerator

@Suite struct FileDigestTests {
    /// The examples of FIPS 180-4 that NIST publishes, and lengths around the edges of a block (hashlib's values).
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
    func `The digest of a file is SHA-256, for bytes and for text`(text: String, digest: String) {
        expectEqual(FileDigest(of: text).text, digest)
        expectEqual(FileDigest(of: Array(text.utf8)).text, digest)
    }

    @Test func `The digest of a file differs for each length, and for each byte that differs`() {
        var seen: Set<FileDigest> = []
        for count in 0..<130 {
            let zeros = [UInt8](repeating: 0, count: count)
            #expect(seen.insert(FileDigest(of: zeros)).inserted, "\(count) zeros")
            var bytes = zeros
            guard count > 0 else { continue }
            bytes[count / 2] = 0x80
            #expect(seen.insert(FileDigest(of: bytes)).inserted, "a byte of \(count)")
        }
        #expect(seen.allSatisfy { $0.text.utf8.count == 64 })
    }
}
