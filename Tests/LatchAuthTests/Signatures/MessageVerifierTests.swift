// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import Synchronization
import TestVectors
import Testing

@testable import LatchAuth

@Suite struct MessageVerifierTests {
    private let now: TimeInterval = 1_700_000_000
    private let key: Key

    init() throws { key = try Key.generate(.eddsa, id: "k") }

    private func signed(
        _ request: HTTPRequest = .example(.post, "/a?b=c", body: HTTPBody("hello")),
        covering components: [SignatureComponent] = SignatureComponent.requestDefaults, at time: TimeInterval? = nil,
        tag: String? = nil, lifetime: Duration? = nil, label: String = "sig1", digest: Bool = true
    ) async throws -> HTTPRequest {
        try await request.authorized(
            by: MessageSignature(
                key, covering: components, andContentBy: digest ? ["content-digest"] : [], label: label, tag: tag,
                lifetime: lifetime, clock: .standing(at: time ?? now)))
    }

    private func verify(_ request: HTTPRequest, _ change: (inout SignaturePolicy) -> Void = { _ in }) async throws
        -> String
    {
        var policy = SignaturePolicy(clock: .standing(at: now))
        change(&policy)
        return try await MessageVerifier(keys: KeySet([key]), policy: policy).verify(request).label
    }

    @Test func `A verifier of messages accepts nothing without a signature`() async throws {
        await #expect(throws: AuthError.missingSignature) { try await verify(.example()) }
        let request = try await signed()
        await #expect(throws: AuthError.missingSignature) { try await verify(request) { $0.label = "other" } }
        await #expect(throws: AuthError.missingSignature) { try await verify(request) { $0.tag = "app" } }
    }

    @Test func `A verifier of messages uses the given label and tag`() async throws {
        let request = try await signed(signed(tag: "app", label: "first"), tag: "other", label: "second")
        try await expectEqual(verify(request) { $0.tag = "other" }, "second")
        try await expectEqual(verify(request) { $0.label = "first" }, "first")
        await #expect(throws: AuthError.missingSignature) {
            try await verify(request) { ($0.label, $0.tag) = ("first", "other") }
        }
    }

    @Test func `A verifier of messages requires what its policy requires`() async throws {
        for missing in SignatureComponent.requestDefaults {
            let request = try await signed(covering: SignatureComponent.requestDefaults.filter { $0 != missing })
            await #expect(throws: AuthError.refusedSignature, "\(missing.name)") { try await verify(request) }
        }
        let request = try await signed()
        await #expect(throws: AuthError.refusedSignature) { try await verify(request) { $0.required.append("date") } }
        // A parameter changes what is covered: one line of a query is not the query.
        let part = try await signed(covering: ["@method", "@authority", "@path", .queryParameter("b")])
        await #expect(throws: AuthError.refusedSignature) { try await verify(part) }
    }

    @Test func `A verifier of messages requires that content is covered, and checks it`() async throws {
        let uncovered = try await signed(digest: false)
        await #expect(throws: AuthError.refusedSignature) { try await verify(uncovered) }
        try await expectEqual(verify(uncovered) { $0.checksContent = false }, "sig1")
        var changed = try await signed()
        changed.body = HTTPBody("HELLO")
        await #expect(throws: AuthError.digestMismatch) { try await verify(changed) }
        changed.body = HTTPBody(.pieces(["hel", "lo"]))
        try await expectEqual(verify(changed), "sig1")
        changed.body = .empty
        await #expect(throws: AuthError.digestMismatch) { try await verify(changed) }
        // A digest that was set anew is not the one that was signed.
        changed.body = HTTPBody("HELLO")
        changed.fields[.contentDigest] = try await ContentDigest(hashing: changed.body).fieldValue
        await #expect(throws: AuthError.refusedSignature) { try await verify(changed) }
    }

    @Test
    func `A verifier of messages takes a digest for covered in its one spelling too, but not one member of it`()
        async throws
    {
        let request = HTTPRequest.example(.post, "/", body: HTTPBody("hello"))
        func signed(by component: SignatureComponent) async throws -> HTTPRequest {
            try await request.authorized(
                by: MessageSignature(key, andContentBy: [component], clock: .standing(at: now)))
        }
        let digest = SignatureComponent.field(.contentDigest)
        try await expectEqual(verify(signed(by: digest.strict)), "sig1")
        try await expectEqual(verify(signed(by: digest.bytes)), "sig1")
        await #expect(throws: AuthError.refusedSignature) { try await verify(signed(by: digest.member("sha-256"))) }
    }

    @Test(arguments: [(0, true), (-300, true), (-301, false), (30, true), (31, false), (-100_000, false)])
    func `A verifier of messages accepts a signature for a while after it was made`(offset: Double, isBelieved: Bool)
        async throws
    {
        let request = try await signed(at: now + offset)
        let result = await Result { try await verify(request) }
        expectEqual(try? result.get(), isBelieved ? "sig1" : nil)
        if offset <= 30 { try await expectEqual(verify(request) { $0.maximumAge = nil }, "sig1") }
    }

    @Test func `A verifier of messages refuses a signature after its own end`() async throws {
        let short = try await signed(at: now - 10, lifetime: .seconds(10))
        await #expect(throws: AuthError.refusedSignature) { try await verify(short) }
        let long = try await signed(at: now - 10, lifetime: .seconds(11))
        try await expectEqual(verify(long) { $0.requiresExpiry = true }, "sig1")
        let endless = try await signed()
        await #expect(throws: AuthError.refusedSignature) { try await verify(endless) { $0.requiresExpiry = true } }
    }

    @Test func `A verifier of messages takes the algorithm from the key and never from the message`() async throws {
        // An attacker who knows a public key would sign with it as if it were a shared secret.
        let pair = try Key.generate(.es256, id: "k")
        let secret = try #require(pair.publicKey).jwk["x"]?.stringValue ?? ""
        let forged = try Key(secret: SymmetricKey(data: Array(secret.utf8)), algorithm: .hs256, id: "k")
        for namesAlgorithm in [true, false] {
            let request = try await HTTPRequest.example()
                .authorized(
                    by: MessageSignature(forged, namesAlgorithm: namesAlgorithm, clock: .standing(at: now)))
            let verifier = MessageVerifier(
                keys: KeySet([try #require(pair.publicKey)]), policy: SignaturePolicy(clock: .standing(at: now)))
            await #expect(throws: AuthError.refusedSignature) { try await verifier.verify(request) }
        }
        // The right key with the wrong name for its algorithm.
        var renamed = try await signed()
        renamed.fields["Signature-Input"] = (renamed.fields["Signature-Input"] ?? "") + ";alg=\"hmac-sha256\""
        await #expect(throws: AuthError.refusedSignature) { try await verify(renamed) }
    }

    @Test func `A verifier of messages does not know keys that it was not given`() async throws {
        let request = try await signed()
        let verifier = MessageVerifier(keys: KeySet([]), policy: SignaturePolicy(clock: .standing(at: now)))
        await #expect(throws: AuthError.refusedSignature) { try await verifier.verify(request) }
        let nameless = try await HTTPRequest.example()
            .authorized(by: MessageSignature(Key(jwk: key.jwkWithSecretsForStorage().without("kid"))))
        await #expect(throws: AuthError.refusedSignature) { try await verify(nameless) }
    }

    @Test func `A verifier of messages checks a nonce last, and requires one if it is asked to`() async throws {
        let asked = Mutex(0)
        let asking: (inout SignaturePolicy) -> Void = { policy in
            policy.isFresh = { _, _ in
                asked.withLock { $0 += 1 }
                return true
            }
        }
        let plain = try await signed()
        await #expect(throws: AuthError.refusedSignature) { try await verify(plain, asking) }
        var forged = try await HTTPRequest.example()
            .authorized(by: MessageSignature(key, hasNonce: true, clock: .standing(at: now)))
        try await expectEqual(verify(forged, asking), "sig1")
        expectEqual(asked.withLock { $0 }, 1)
        forged.path = "/other"
        await #expect(throws: AuthError.refusedSignature) { try await verify(forged, asking) }
        expectEqual(asked.withLock { $0 }, 1)
    }

    @Test(arguments: [
        ("", "sig1=:AA==:"), ("sig1=()", ""), ("sig1=()", "sig2=:AA==:"), ("sig1=1", "sig1=:AA==:"),
        ("sig1=()", "sig1=\"AA\""), ("sig1=()", "sig1=(:AA==:)"), ("sig1=();created=\"1\"", "sig1=:AA==:"),
        ("sig1=();created=1.5", "sig1=:AA==:"), ("sig1=();keyid=k", "sig1=:AA==:"), ("sig1=();nonce=1", "sig1=:AA==:"),
        ("sig1=();expires=?1", "sig1=:AA==:"), ("sig1=(", "sig1=:AA==:"), ("sig1=()", "sig1=:AA"), ("sig1", "sig1"),
        ("sig1=(), sig2=()", "sig1=:AA==:"), ("sig1=(1)", "sig1=:AA==:"), ("sig1=();tag=t", "sig1=:AA==:"),
    ])
    func `A verifier of messages refuses malformed fields`(input: String, signature: String) async throws {
        let request = HTTPRequest.example(fields: ["Signature-Input": input, "Signature": signature])
        await #expect(throws: AuthError.malformedSignature) { try await verify(request) }
    }

    @Test(arguments: [
        "other=(\"x\";tr)", "other=(\"@new-part\")", "other=();created=\"x\"", "other=1", "other=(\"x\";new)",
    ])
    func `A verifier of messages is not disturbed by a signature of another signer that it does not understand`(
        input: String
    ) async throws {
        for isFirst in [true, false] {
            var request = try await signed()
            let (mine, signature) = (request.fields["Signature-Input"] ?? "", request.fields["Signature"] ?? "")
            request.fields["Signature-Input"] = isFirst ? "\(input), \(mine)" : "\(mine), \(input)"
            request.fields["Signature"] = isFirst ? "other=:AA==:, \(signature)" : "\(signature), other=:AA==:"
            try await expectEqual(verify(request), "sig1")
            await #expect(throws: AuthError.malformedSignature) { try await verify(request) { $0.label = "other" } }
        }
    }

    @Test func `A verifier of messages looks at a few signatures of many`() async throws {
        var request = try await signed(label: "last")
        let (input, signature) = (request.fields["Signature-Input"] ?? "", request.fields["Signature"] ?? "")
        func add(_ count: Int) {
            let labels = (0..<count).map { "s\($0)" }
            request.fields["Signature-Input"] = (labels.map { "\($0)=();created=\(Int(now));keyid=\"k\"" } + [input])
                .joined(separator: ", ")
            request.fields["Signature"] = (labels.map { "\($0)=:AA==:" } + [signature]).joined(separator: ", ")
        }
        add(7)
        try await expectEqual(verify(request), "last")
        add(8)
        await #expect(throws: AuthError.refusedSignature) { try await verify(request) }
        try await expectEqual(verify(request) { $0.label = "last" }, "last")
    }

    @Test func `A verifier of messages passes on errors of the closures`() async throws {
        let request = try await signed()
        let verifier = MessageVerifier(policy: SignaturePolicy(clock: .standing(at: now))) { _ in
            throw HTTPError.offline
        }
        await #expect(throws: HTTPError.offline) { try await verifier.verify(request) }
    }

    @Test func `A verifier of messages refuses a signature with one changed bit`() async throws {
        var random = SeededGenerator(seed: 9_421)
        let request = try await signed()
        try await expectEqual(verify(request), "sig1")
        for name in ["Signature-Input", "Signature", "Content-Digest"] as [HTTPFieldName] {
            let value = Array((request.fields[name] ?? "").utf8)
            for _ in 0..<150 {
                var changed = value
                let place = Int.random(in: 0..<value.count, using: &random)
                changed[place] ^= 1 << UInt8.random(in: 0..<7, using: &random)
                var copy = request
                copy.fields[name] = String(decoding: changed, as: UTF8.self)
                await #expect(throws: AuthError.self, "\(name) at \(place)") { try await verify(copy) }
            }
        }
    }
}

extension JSONObject {
    fileprivate func without(_ name: String) -> JSONObject { JSONObject(filter { $0.key != name }) }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
