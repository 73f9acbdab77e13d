// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchJOSE
import TestVectors
import Testing

@testable import LatchAuth

@Suite(.enabled(if: VectorSet.messageSignatures.isPresent, Comment(rawValue: VectorSet.hint)))
struct SignatureVectorTests {
    static let requests = ["b21_request", "b22_request", "b23_request", "b25_request", "b26_request"]

    @Test(arguments: requests)
    func `The signed examples of RFC 9421 are verified as requests`(name: String) async throws {
        let request = try RFC9421.request("\(name)_signed.txt")
        let signature = try await RFC9421.verifier().verify(request)
        expectEqual(signature.label, "sig-" + name.prefix(3))
        expectEqual(signature.parameters.created, Date(timeIntervalSince1970: RFC9421.created))
    }

    @Test func `The signed examples of RFC 9421 are verified as a response`() async throws {
        let response = try RFC9421.response("b24_response_signed.txt")
        let signature = try await RFC9421.verifier(required: ["@status"]).verify(response, answering: nil)
        expectEqual(signature.components, ["@status", "content-type", "content-digest", "content-length"])
        expectEqual(signature.parameters.keyID, "test-key-ecc-p256")
    }

    @Test(arguments: requests)
    func `The signed examples of RFC 9421 have the base that the RFC prints, for requests`(name: String) throws {
        let request = try RFC9421.request("\(name)_signed.txt")
        let expected = try VectorSet.messageSignatures.text("\(name)_sigbase.txt")
        try expectEqual(SignatureBase.texts(of: request), [expected])
    }

    @Test func `The signed examples of RFC 9421 have the base that the RFC prints, for a response`() throws {
        let response = try RFC9421.response("b24_response_signed.txt")
        let expected = try VectorSet.messageSignatures.text("b24_response_sigbase.txt")
        try expectEqual(SignatureBase.texts(of: response, answering: nil), [expected])
    }

    @Test(arguments: requests)
    func `The signed examples of RFC 9421 are refused once anything that they cover has changed`(name: String)
        async throws
    {
        let original = try RFC9421.request("\(name)_signed.txt")
        let covered = try await RFC9421.verifier().verify(original).components
        for (components, change) in Self.changes {
            var changed = original
            change(&changed)
            if covered.contains(where: { components.contains($0.name) }) {
                await #expect(throws: AuthError.self, "\(components)") { try await RFC9421.verifier().verify(changed) }
            } else {
                _ = try await RFC9421.verifier().verify(changed)
            }
        }
    }

    private static let changes: [([String], @Sendable (inout HTTPRequest) -> Void)] = [
        (["@method"], { $0.method = .put }), (["@path"], { $0.path = "/fop?param=Value&Pet=dog" }),
        (["@authority"], { $0.authority = "example.org" }), (["@query"], { $0.path = "/foo?Pet=dog&param=Value" }),
        (["@query-param", "@query"], { $0.path = "/foo?param=Value&Pet=cat" }),
        (["date"], { $0.fields[.date] = "Tue, 20 Apr 2021 02:07:56 GMT" }),
        (["content-type"], { $0.fields[.contentType] = "application/jsom" }),
        (["content-digest"], { $0.fields[.contentDigest] = "sha-256=:AAAA:" }),
        (["content-length"], { $0.fields[.contentLength] = "19" }),
    ]

    @Test func `The signed examples of RFC 9421 cover content by its digest only`() async throws {
        var request = try RFC9421.request("b23_request_signed.txt")
        var policy = SignaturePolicy(maximumAge: nil, clock: .standing(at: RFC9421.created))
        let verifier = MessageVerifier(policy: policy) { try $0.flatMap(RFC9421.key) }
        _ = try await verifier.verify(request)
        request.body = HTTPBody(#"{"hello": "WORLD"}"#)
        await #expect(throws: AuthError.digestMismatch) { try await verifier.verify(request) }
        policy.checksContent = false
        _ = try await MessageVerifier(policy: policy) { try $0.flatMap(RFC9421.key) }.verify(request)
    }

    @Test func `The signed examples of RFC 9421 are refused under each other's keys`() async throws {
        for name in Self.requests {
            let request = try RFC9421.request("\(name)_signed.txt")
            let own = try await RFC9421.verifier().verify(request).parameters.keyID
            for other in ["test-key-rsa-pss", "test-key-ecc-p256", "test-key-ed25519", "test-shared-secret"]
            where other != own {
                let policy = SignaturePolicy(required: [], maximumAge: nil, clock: .standing(at: RFC9421.created))
                let verifier = MessageVerifier(policy: policy) { _ in try RFC9421.key(other) }
                await #expect(throws: AuthError.refusedSignature) { try await verifier.verify(request) }
            }
        }
    }
}
