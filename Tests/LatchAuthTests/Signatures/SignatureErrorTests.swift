// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@testable import LatchAuth

@Suite struct SignatureErrorTests {
    static let all: [(AuthError, String)] = [
        (.invalidCredential, "invalidCredential"), (.unsignableContent, "unsignableContent"),
        (.unsignableMessage, "unsignableMessage"), (.missingSignature, "missingSignature"),
        (.malformedSignature, "malformedSignature"), (.refusedSignature, "refusedSignature"),
        (.digestMismatch, "digestMismatch"),
    ]

    @Test(arguments: all)
    func `The errors of credentials and signatures have codes that stay, a sentence and a hint`(
        error: AuthError, code: String
    ) {
        expectEqual(error.code, code)
        #expect(error.message.hasSuffix("."))
        expectEqual(error.hint?.hasSuffix("."), true)
        #expect(!error.message.contains("  "))
    }

    @Test func `The errors of credentials and signatures are all different`() {
        expectEqual(Set(Self.all.map(\.1)).count, Self.all.count)
    }

    @Test(arguments: [
        (HTTPError.malformedStructuredField, "malformedStructuredField"),
        (.unwritableStructuredField, "unwritableStructuredField"),
    ])
    func `The errors of structured fields also have codes, a sentence and a hint`(error: HTTPError, code: String) {
        expectEqual(error.code, code)
        #expect(error.hint != nil)
    }

    @Test func `The errors of credentials and signatures quote nothing of a message`() async throws {
        let canary = "canary-9d"
        let fields: HTTPFields = [
            "Signature-Input": "sig=(\"x-secret\";key=\"\(canary)\");keyid=\"\(canary)\"", "Signature": "sig=:AA==:",
            "X-Secret": "\"\(canary)",
        ]
        let verifier = MessageVerifier { _ in nil }
        for request in [HTTPRequest.example(fields: fields), .example(fields: ["Signature-Input": canary])] {
            let error = await #expect(throws: AuthError.self) { try await verifier.verify(request) }
            #expect(!dumped(error as Any).contains(canary))
        }
        let texts = #expect(throws: AuthError.unsignableMessage) {
            try SignatureBase.texts(of: .example(fields: fields))
        }
        #expect(!dumped(texts as Any).contains(canary))
    }
}
