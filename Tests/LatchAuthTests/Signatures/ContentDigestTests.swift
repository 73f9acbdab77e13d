// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import Testing

@Suite struct ContentDigestTests {
    /// RFC 9530 §2 and appendix B.1 have these.
    @Test func `A content digest matches the example of RFC 9530`() async throws {
        let body = HTTPBody(#"{"hello": "world"}"# + "\n")
        let both = try await ContentDigest(hashing: body, by: [.sha512, .sha256])
        expectEqual(
            both.fieldValue,
            "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:, "
                + "sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:")
        let usual = try await ContentDigest(hashing: body)
        expectEqual(usual.fieldValue, "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:")
    }

    @Test func `A digest of content verifies the content that it was made of, and no other`() async throws {
        let body = HTTPBody("hello")
        for algorithms in [[.sha256], [.sha512], [.sha256, .sha512]] as [Set<ContentDigest.Algorithm>] {
            let digest = try await ContentDigest(parsing: ContentDigest(hashing: body, by: algorithms).fieldValue)
            try await digest.verify(body)
            try await digest.verify(HTTPBody(.pieces(["he", "llo"])))
            for other in ["", "hell", "hellO", "hello "] {
                await #expect(throws: AuthError.digestMismatch) { try await digest.verify(HTTPBody(other)) }
            }
        }
    }

    @Test func `A digest of content is accepted only if all known ones are right`() async throws {
        let body = HTTPBody("hello")
        let right = try await ContentDigest(hashing: body).fieldValue
        try await ContentDigest(parsing: right + ", md5=:AAAA:, unixsum=:AA==:").verify(body)
        let wrong = try ContentDigest(parsing: right + ", sha-512=:AAAA:")
        await #expect(throws: AuthError.digestMismatch) { try await wrong.verify(body) }
    }

    @Test(arguments: [
        "", "sha-256", "sha-256=abc", "sha-256=\"abc\"", "sha-256=(:AAAA:)", "md5=:AAAA:", "SHA-256=:AAAA:",
        "sha-256=:AA", ",", "sha-256=:AAAA:,",
    ])
    func `A digest of content is refused in any other form`(field: String) {
        #expect(throws: AuthError.malformedSignature) { try ContentDigest(parsing: field) }
    }

    @Test func `A digest of content is not accepted when it is cut short`() async throws {
        let digest = try ContentDigest(parsing: "sha-256=::")
        await #expect(throws: AuthError.digestMismatch) { try await digest.verify(HTTPBody("hello")) }
        let prefix = try ContentDigest(parsing: "sha-256=:LPJNul+wow4=:")
        await #expect(throws: AuthError.digestMismatch) { try await prefix.verify(HTTPBody("hello")) }
    }

    @Test func `A digest of content is not made of a stream that can be read once`() async throws {
        await #expect(throws: AuthError.unsignableContent) {
            try await ContentDigest(hashing: HTTPBody(.once("hello")))
        }
    }
}
