// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import Testing

@Suite struct SHA2Tests {
    // FIPS 180-4's examples, as NIST publishes them.
    @Test func `A SHA-2 digest is NIST's for the empty text, "abc" and two blocks`() {
        let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8
        expectEqual("\(SHA256.hash(data: []))", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        expectEqual(
            "\(SHA256.hash(data: "abc".utf8))", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        expectEqual("\(SHA256.hash(data: two))", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        expectEqual(
            "\(SHA384.hash(data: "abc".utf8))",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
        expectEqual(
            "\(SHA512.hash(data: "abc".utf8))",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }

    @Test func `A SHA-2 digest is the same however its input is cut`() {
        let text = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let whole = SHA256.hash(data: text)
        for cut in [0, 1, 55, 56, 63, 64, 65, 127, 128, 999, 1000] {
            var hash = SHA256()
            hash.update(data: text[..<cut])
            hash.update(data: text[cut...])
            expectEqual(hash.finalize(), whole)
        }
        expectEqual(SHA256.hash(data: AnyCollection(text)), whole)
    }

    @Test func `A SHA-2 digest goes on from a copy without changing the original`() {
        var one = SHA512()
        one.update(data: "a".utf8)
        var other = one
        other.update(data: "b".utf8)
        expectEqual(one.finalize(), SHA512.hash(data: "a".utf8))
        expectEqual(other.finalize(), SHA512.hash(data: "ab".utf8))
        one.update(data: "c".utf8)
        expectEqual(one.finalize(), SHA512.hash(data: "ac".utf8))
    }

    @Test func `A SHA-2 digest has the length of its kind`() {
        expectEqual(SHA256.hash(data: []).count, 32)
        expectEqual(SHA384.hash(data: []).count, 48)
        expectEqual(SHA512.hash(data: []).count, 64)
    }
}
