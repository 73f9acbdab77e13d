// SPDX-License-Identifier: Apache-2.0

import LatchGenerator
import Testing

@Suite struct `The digest of a file` {
    /// Digests that other programs give.
    @Test(arguments: [
        ("", "00000000000000000000000000000000"),
        ("hello", "cbd8a7b341bd9b025b1e906a48ae1d19"),
        ("The quick brown fox jumps over the lazy dog", "e34bbc7bbc071b6c7a433ca9c49a9347"),
    ])
    func `is MurmurHash3 for x64, of 128 bits`(text: String, digest: String) {
        #expect(FileDigest(of: Array(text.utf8)).text == digest)
        #expect(FileDigest(of: text) == FileDigest(of: Array(text.utf8)))
    }

    @Test func `differs for all lengths around the edges of a block, and for each byte that differs`() {
        var seen: Set<FileDigest> = []
        for count in 0..<50 {
            let zeros = [UInt8](repeating: 0, count: count)
            #expect(seen.insert(FileDigest(of: zeros)).inserted, "\(count) zeros")
            for index in zeros.indices {
                var bytes = zeros
                bytes[index] = 0x80
                #expect(seen.insert(FileDigest(of: bytes)).inserted, "byte \(index) of \(count)")
            }
        }
        #expect(seen.allSatisfy { $0.text.utf8.count == 32 })
    }
}
