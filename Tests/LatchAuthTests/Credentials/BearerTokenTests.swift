// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import TestTags
import Testing

@Suite struct BearerTokenTests {
    @Test(.tags(.tokenTypes))
    func `A bearer token goes into the Authorization field in place of any other`() async throws {
        let request = try await HTTPRequest.example(fields: [.authorization: "Basic old", .authorization: "Basic two"])
            .authorized(by: BearerToken("abc.def~-_+/="))
        expectEqual(request.fields.values(of: .authorization), ["Bearer abc.def~-_+/="])
        #expect(request.isCredential(.authorization))
    }

    @Test(.tags(.tokenTypes)) func `A bearer token set twice is there once`() async throws {
        let token = BearerToken("abc")
        let request = try await HTTPRequest.example().authorized(by: token).authorized(by: token)
        expectEqual(request.fields.values(of: .authorization), ["Bearer abc"])
        expectEqual(request.fields.count, 1)
    }

    @Test(.tags(.tokenTypes)) func `A bearer token is equal only to one with the same text`() {
        expectEqual(BearerToken("abc"), BearerToken("abc"))
        expectNotEqual(BearerToken("abc"), BearerToken("abd"))
        expectNotEqual(BearerToken("abc"), BearerToken("abcd"))
        expectNil(BearerToken("abc").expiry)
    }

    @Test func `A bearer token with a line break in it never reaches the wire`() async throws {
        let request = try await HTTPRequest.example().authorized(by: BearerToken("abc\r\nX-Evil: 1"))
        #expect(throws: HTTPError.invalidField) { try request.fields.validate() }
    }
}
