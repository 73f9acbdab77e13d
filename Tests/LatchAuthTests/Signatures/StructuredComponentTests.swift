// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchJOSE
import Testing

@testable import LatchAuth

/// Fields that both sides know to be structured are covered by their meaning (RFC 9421 §2.1.1).
@Suite struct StructuredComponentTests {
    private let key: Key

    init() throws { key = try Key.generate(.hs256, id: "k") }

    private func signed(_ fields: HTTPFields, _ components: [SignatureComponent]) async throws -> HTTPRequest {
        let credential = try MessageSignature(key, covering: components, clock: .standing(at: 1_700_000_000))
        return try await HTTPRequest.example(fields: fields).authorized(by: credential)
    }

    private func verify(_ request: HTTPRequest) async throws {
        let policy = SignaturePolicy(required: [], clock: .standing(at: 1_700_000_000))
        _ = try await MessageVerifier(keys: KeySet([key]), policy: policy).verify(request)
    }

    @Test(arguments: [
        ("Idempotency-Key", "1;a", "  1;  a "), ("Cache-Status", "1, (2 3);b", "1,(  2   3 );b"),
        ("Priority", "a=1, b", "a=1,b=?1"), ("PRIORITY", "u=1", "  u=1 "),
    ])
    func `A structured field under a signature can be spelled otherwise on the wire`(
        name: String, first: String, second: String
    ) async throws {
        let field = HTTPFieldName(name)
        var request = try await signed([field: first], [.field(field).strict])
        try await verify(request)
        request.fields[field] = second
        try await verify(request)
        request.fields[field] = second.replacing("1", with: "4", maxReplacements: 1)
        await #expect(throws: AuthError.refusedSignature) { try await verify(request) }
        request.fields[field] = "(("
        await #expect(throws: AuthError.unsignableMessage) { try await verify(request) }
        request.fields[field] = nil
        await #expect(throws: AuthError.unsignableMessage) { try await verify(request) }
    }

    @Test func `A structured field under a signature of an unknown type is not covered strictly`() async throws {
        await #expect(throws: AuthError.unsignableMessage) {
            try await signed(["X-Item": "1"], [.field("X-Item").strict])
        }
        var request = try await signed(["Priority": "u=1"], [.field("Priority").strict])
        let input = request.fields["Signature-Input"]?.replacing("priority", with: "x-item")
        request.fields["Signature-Input"] = input
        request.fields["X-Item"] = "1"
        await #expect(throws: AuthError.unsignableMessage) { try await verify(request) }
    }

    @Test func `A structured field under a signature can gain uncovered members`() async throws {
        var request = try await signed(["X-Dict": "a=1;x, b=2"], [.field("X-Dict").member("a")])
        request.fields["X-Dict"] = "c=3, b=4"
        request.fields.append("a=1;x", for: "x-dict")
        try await verify(request)
        request.fields["X-Dict"] = "a=1"
        await #expect(throws: AuthError.refusedSignature) { try await verify(request) }
    }

    @Test
    func `A structured field under a signature is equal to a component whose parameters stand in another order`() {
        let field = SignatureComponent.field("X-Dict")
        expectEqual(field.member("a").ofRequest, field.ofRequest.member("a"))
        expectEqual(Set([field.member("a").ofRequest, field.ofRequest.member("a")]).count, 1)
        expectNotEqual(field.member("a"), field.member("b"))
        expectNotEqual(field.strict, field)
        expectEqual(SignatureComponent.field("X-DICT"), "x-dict")
        expectEqual(SignatureComponent.queryParameter("ü ~*").parameters["name"], "%C3%BC%20%7E*")
    }
}
