// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestVectors
import Testing

/// One key of an algorithm, with the curve of a key agreement.
private struct Peer {
    let key: EncryptionKey
    /// The key for the other implementation.
    let jwk: JSONObject
    let content: ContentEncryptionAlgorithm

    static func all() throws -> [Peer] {
        var peers: [Peer] = []
        for (content, bits) in contentAlgorithms {
            var keys = try generatedAlgorithms.map { try EncryptionKey.generate($0) }
            keys += try EncryptionKey.Curve.allCases.map { try EncryptionKey.generate(.ecdhES, curve: $0) }
            keys += try EncryptionKey.Curve.allCases.map { try EncryptionKey.generate(.ecdhESA256KW, curve: $0) }
            keys.append(try EncryptionKey(secret: SymmetricKey(size: .init(bitCount: bits)), algorithm: .dir))
            peers += try keys.map { Peer(key: $0, jwk: try $0.jwkWithSecretsForStorage(), content: content) }
            for algorithm in [KeyManagementAlgorithm.pbes2HS256A128KW, .pbes2HS512A256KW] {
                let password = Array("correct horse battery staple".utf8)
                let key = try EncryptionKey(password: password, iterations: 2048, algorithm: algorithm)
                peers.append(
                    Peer(
                        key: key, jwk: ["kty": "oct", "k": .string(Base64URL.encode(password))], content: content))
            }
        }
        return peers
    }
}

@Suite(
    .enabled(Comment(rawValue: PythonPeers.hint)) { await PythonPeers.install() }
)
struct EncryptionPeerTests {
    private static let content = "It is encrypted here. And read there."

    /// Decrypts each text, and encrypts its content again with the same key and algorithms.
    private static let program = """
        import json, warnings
        from joserfc import jwe, jwk
        warnings.simplefilter("ignore")
        made = []
        for case in json.load(open(sys.argv[1])):
            key, allowed = jwk.import_key(case["key"]), [case["alg"], case["enc"]]
            content = jwe.decrypt_compact(case["text"], key, algorithms=allowed).plaintext
            header = {"alg": case["alg"], "enc": case["enc"]}
            if case["alg"].startswith("ECDH"):
                header.update({"apu": "QWxpY2U", "apv": "Qm9i"})
            made.append({
                "content": content.decode(),
                "text": jwe.encrypt_compact(header, content, key, algorithms=allowed)})
        print(json.dumps(made))
        """

    @Test func `Encrypted texts of ours are read by joserfc, and its are read by us`() async throws {
        let peers = try Peer.all()
        let cases = try peers.map { peer -> JSONValue in
            let text = try JWE.encrypt(Array(Self.content.utf8), for: peer.key, using: peer.content)
            // The peer knows a secret for direct use without an alg alone.
            var jwk = peer.jwk
            jwk["alg"] = nil
            return [
                "key": .object(jwk), "alg": .string(peer.key.algorithm.rawValue), "enc": .string(peer.content.rawValue),
                "text": .string(text),
            ]
        }
        let made = try #require(try await PythonPeers.run(Self.program, input: .array(cases)).arrayValue)
        #expect(made.count == peers.count && made.count == 6 * 23)
        for (peer, made) in zip(peers, made) {
            let name = "\(peer.key.algorithm) \(peer.content)"
            expectEqual(made["content"]?.stringValue, Self.content, "\(name)")
            let text = try #require(made["text"]?.stringValue)
            try expectEqual(decrypt(text, with: peer.key).plaintext, Array(Self.content.utf8), "\(name)")
        }
    }
}
