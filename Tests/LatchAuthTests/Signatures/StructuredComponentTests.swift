// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import Testing

/// Fields that both sides know to be structured are covered by their meaning (RFC 9421 §2.1.1).
@Suite struct `A structured field under a signature` {
    private let kinds: StructuredFieldTypes = ["X-Item": .item, "X-List": .list, "X-Dict": .dictionary]
    private let key: Key

    init() throws { key = try Key.generate(.hs256, id: "k") }

    private func signed(_ fields: HTTPFields, _ components: [SignatureComponent]) async throws -> HTTPRequest {
        var credential = try MessageSignature(key, covering: components, clock: .standing(at: 1_700_000_000))
        credential.structured = kinds
        return try await HTTPRequest.example(fields: fields).authorized(by: credential)
    }

    private func verify(_ request: HTTPRequest, knowing kinds: StructuredFieldTypes) async throws {
        var policy = SignaturePolicy(required: [], clock: .standing(at: 1_700_000_000))
        policy.structured = kinds
        _ = try await MessageVerifier(keys: KeySet([key]), policy: policy).verify(request)
    }

    @Test(arguments: [
        ("X-Item", "1;a", "  1;  a "), ("X-List", "1, (2 3);b", "1,(  2   3 );b"), ("X-Dict", "a=1, b", "a=1,b=?1"),
    ])
    func `may be spelled otherwise on the way`(name: String, first: String, second: String) async throws {
        let field = HTTPFieldName(name)
        var request = try await signed([field: first], [.field(field).strict])
        try await verify(request, knowing: kinds)
        request.fields[field] = second
        try await verify(request, knowing: kinds)
        request.fields[field] = second.replacing("1", with: "4", maxReplacements: 1)
        await #expect(throws: AuthError.refusedSignature) { try await verify(request, knowing: kinds) }
        request.fields[field] = "(("
        await #expect(throws: AuthError.unsignableMessage) { try await verify(request, knowing: kinds) }
        request.fields[field] = nil
        await #expect(throws: AuthError.unsignableMessage) { try await verify(request, knowing: kinds) }
    }

    @Test func `is refused by those who do not know its kind`() async throws {
        let request = try await signed(["X-Item": "1"], [.field("X-Item").strict])
        await #expect(throws: AuthError.unsignableMessage) { try await verify(request, knowing: .registered) }
        let unknown = try MessageSignature(key, covering: [.field("X-Item").strict])
        await #expect(throws: AuthError.unsignableMessage) {
            try await HTTPRequest.example(fields: ["X-Item": "1"]).authorized(by: unknown)
        }
    }

    @Test func `may gain members that are not covered`() async throws {
        var request = try await signed(["X-Dict": "a=1;x, b=2"], [.field("X-Dict").member("a")])
        request.fields["X-Dict"] = "c=3, b=4"
        request.fields.append("a=1;x", for: "x-dict")
        try await verify(request, knowing: [:])
        request.fields["X-Dict"] = "a=1"
        await #expect(throws: AuthError.refusedSignature) { try await verify(request, knowing: [:]) }
    }

    @Test func `has a kind by its name in any case`() {
        #expect(StructuredFieldTypes.registered["content-digest"] == .dictionary)
        #expect(StructuredFieldTypes.registered["PRIORITY"] == .dictionary)
        #expect(StructuredFieldTypes.registered["cache-status"] == .list)
        #expect(StructuredFieldTypes.registered["idempotency-key"] == .item)
        #expect(StructuredFieldTypes.registered["date"] == nil)
        var kinds = StructuredFieldTypes.registered
        kinds["Priority"] = nil
        #expect(kinds["priority"] == nil)
    }

    @Test func `is equal to a component whose parameters stand in another order`() {
        let field = SignatureComponent.field("X-Dict")
        #expect(field.member("a").ofRequest == field.ofRequest.member("a"))
        #expect(Set([field.member("a").ofRequest, field.ofRequest.member("a")]).count == 1)
        #expect(field.member("a") != field.member("b"))
        #expect(field.strict != field)
        #expect(SignatureComponent.field("X-DICT") == "x-dict")
        #expect(SignatureComponent.queryParameter("ü ~*").parameters["name"] == "%C3%BC%20%7E*")
    }

    @Test func `of a digest of the representation is made and compared like any other`() async throws {
        let whole = HTTPBody("hello world")
        let value = try await ContentDigest(hashing: whole, by: [.sha512]).fieldValue
        // RFC 9530 §3: a part is sent, the digest is that of the whole.
        let response = HTTPResponse(status: 206, fields: [.reprDigest: value], body: HTTPBody("hello"))
        let digest = try ContentDigest(parsing: #require(response.fields.combinedValue(of: .reprDigest)))
        try await digest.verify(whole)
        await #expect(throws: AuthError.digestMismatch) { try await digest.verify(response.body) }
    }
}
