// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import TestVectors
import Testing

/// A digest with the sizes that FIPS 180-4, figure 1 gives it.
private struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    let block: Int
    let length: Int
    /// The digest of pieces that are fed one after the other.
    let digest: @Sendable ([[UInt8]]) -> [UInt8]

    var testDescription: String { name }

    init<Hash: HashFunction>(_ name: String, _ hash: Hash.Type, block: Int, length: Int) {
        self.name = name
        self.block = block
        self.length = length
        digest = { pieces in
            var state = Hash()
            for piece in pieces { state.update(data: piece) }
            return Array(state.finalize())
        }
    }

    static let all = [
        Kind("sha256", SHA256.self, block: 64, length: 32), Kind("sha384", SHA384.self, block: 128, length: 48),
        Kind("sha512", SHA512.self, block: 128, length: 64),
    ]
}

@Suite struct SHA2VectorTests {
    // FIPS 180-4's examples of 0, 24 and 896 bits, as NIST publishes them in its example values.
    @Test func `Each SHA-2 digest is NIST's for the empty text and for two blocks of 1024 bits`() {
        let text = [UInt8](
            ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8)
        expectEqual(
            hexadecimal(SHA384.hash(data: [])),
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b")
        expectEqual(
            hexadecimal(SHA512.hash(data: [])),
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e")
        expectEqual(
            hexadecimal(SHA256.hash(data: text)), "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1")
        expectEqual(
            hexadecimal(SHA384.hash(data: text)),
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039")
        expectEqual(
            hexadecimal(SHA512.hash(data: text)),
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909")
    }

    // The million letters of NIST's long example.
    @Test func `Each SHA-2 digest is NIST's for a million letters, however large the pieces`() {
        let known = [
            "sha256": "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            "sha384": "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b"
                + "07b8b3dc38ecc4ebae97ddd87f3d8985",
            "sha512": "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
        ]
        for kind in Kind.all {
            for piece in [1_000_000, 50_000, 1_000] {
                let letters = [UInt8](repeating: UInt8(ascii: "a"), count: piece)
                let pieces = [[UInt8]](repeating: letters, count: 1_000_000 / piece)
                expectEqual(hexadecimal(kind.digest(pieces)), known[kind.name], "\(kind.name) in pieces of \(piece)")
            }
        }
    }

    @Test(arguments: Kind.all)
    private func `Each SHA-2 digest is the same over every split into two pieces`(kind: Kind) {
        // Three blocks and one byte: every place at which padding and buffering can go wrong lies in there.
        let text = (0...kind.block * 3).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        let whole = kind.digest([text])
        expectEqual(whole.count, kind.length)
        for cut in 0...text.count {
            expectEqual(kind.digest([Array(text[..<cut]), Array(text[cut...])]), whole, "cut at \(cut)")
        }
    }

    @Test(arguments: Kind.all, 0..<6 as Range<UInt64>)
    private func `Each SHA-2 digest is the same over any number of pieces, empty ones among them`(
        kind: Kind, seed: UInt64
    ) {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let text = numbers.bytes(Int.random(in: 0...1_000, using: &numbers))
            var pieces: [[UInt8]] = []
            var rest = text[...]
            while !rest.isEmpty {
                let length = Int.random(in: 0...min(rest.count, 200), using: &numbers)
                pieces.append(Array(rest.prefix(length)))
                rest = rest.dropFirst(length)
            }
            expectEqual(kind.digest(pieces), kind.digest([text]), "seed \(seed)")
        }
    }

    @Test(arguments: Kind.all)
    private func `Each SHA-2 digest differs from that of the text with one bit changed or one zero appended`(kind: Kind)
    {
        for length in [0, 1, kind.block - 17, kind.block - 1, kind.block, kind.block + 1] {
            let text = [UInt8](repeating: 0, count: length)
            let digest = kind.digest([text])
            expectNotEqual(kind.digest([text + [0]]), digest, "\(length) bytes")
            for place in text.indices {
                var changed = text
                changed[place] = 1
                expectNotEqual(kind.digest([changed]), digest, "byte \(place) of \(length)")
            }
        }
    }

    @Test(.enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)), arguments: Kind.all)
    private func `Each SHA-2 digest is OpenSSL's own at every length about the ends of blocks`(kind: Kind) async throws
    {
        let command = try OpenSSLCommand()
        for length in [
            kind.block - 18, kind.block - 17, kind.block - 9, kind.block - 8, kind.block, 5 * kind.block + 3,
        ] {
            let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13) }
            try command.write(text, to: "text")
            let answer = try await command.run("dgst", "-\(kind.name)", "-binary", "text")
            expectEqual(kind.digest([text]), answer.output, "\(length) bytes")
        }
    }
}
