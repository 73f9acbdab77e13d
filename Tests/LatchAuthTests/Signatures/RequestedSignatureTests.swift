// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP
import Testing

@Suite struct `A signature that is asked for` {
    /// RFC 9421 §5.1 has this one.
    @Test func `says what it is to cover and to say`() throws {
        let fields: HTTPFields = [
            "Accept-Signature":
                #"sig1=("@method" "@target-uri" "@authority" "content-digest" "cache-control");keyid="test-key-rsa-pss";created;tag="app-123""#
        ]
        let asked = try #require(try RequestedSignature.all(in: fields).first)
        #expect(asked.label == "sig1")
        #expect(asked.components == [.method, .targetURI, .authority, .field("Content-Digest"), "cache-control"])
        #expect(asked.wantsCreated)
        #expect(!asked.wantsExpires)
        #expect(asked.parameters.keyID == "test-key-rsa-pss")
        #expect(asked.parameters.tag == "app-123")
        #expect(asked.parameters.created == nil)
    }

    @Test func `is one of several, over several lines`() throws {
        let fields: HTTPFields = ["Accept-Signature": "a=();expires", "accept-signature": "b=(\"date\";req)"]
        let asked = try RequestedSignature.all(in: fields)
        #expect(asked.map(\.label) == ["a", "b"])
        #expect(asked[0].wantsExpires)
        #expect(asked[1].components == [.field("Date").ofRequest])
        #expect(try RequestedSignature.all(in: [:]).isEmpty)
    }

    @Test(arguments: ["a", "a=1", "(", "a=(\"@nothing\")", "a=();keyid=k", "a=(\"Date\")", "a=(1)"])
    func `is refused in any other form`(field: String) {
        #expect(throws: AuthError.malformedSignature) { try RequestedSignature.all(in: ["Accept-Signature": field]) }
    }
}
