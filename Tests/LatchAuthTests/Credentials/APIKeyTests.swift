// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import TestTags
import Testing

@Suite struct APIKeyTests {
    @Test(.tags(.apiKeys)) func `An API key goes into X-API-Key unless another field is named`() async throws {
        let usual = try await HTTPRequest.example().authorized(by: APIKey("k1"))
        expectEqual(usual.fields.values(of: "x-api-key"), ["k1"])
        expectEqual(usual.fields.first?.name.rawName, "X-API-Key")
        let other = try await HTTPRequest.example(fields: ["X-SERVICE": "old"])
            .authorized(by: APIKey("k2", inField: "X-Service"))
        expectEqual(other.fields.values(of: "x-service"), ["k2"])
        expectEqual(other.path, "/")
    }

    @Test(.tags(.apiKeys)) func `An API key in a field is marked as a secret, once`() async throws {
        let key = APIKey("k1")
        let request = try await HTTPRequest.example().authorized(by: key).authorized(by: key)
        expectEqual(request.credentialFields, ["X-API-Key"])
        #expect(request.isCredential("x-api-key"))
        #expect(request.credentialQueryNames.isEmpty)
    }

    @Test(
        .tags(.apiKeys),
        arguments: [
            ("/", "/?api_key=k"), ("/?", "/?api_key=k"), ("/a?b=1", "/a?b=1&api_key=k"), ("/a?b", "/a?b&api_key=k"),
            ("/a?api_key=old", "/a?api_key=k"), ("/a?api_key=1&b=2&api_key=3", "/a?b=2&api_key=k"),
            ("/a?api%5Fkey=old&b=2", "/a?b=2&api_key=k"),
            ("/a?xapi_key=1&api_key2=2", "/a?xapi_key=1&api_key2=2&api_key=k"),
            ("/a?api_key", "/a?api_key=k"), ("/a?b=1&&c=2", "/a?b=1&&c=2&api_key=k"),
        ])
    func `An API key stands once in the query, however often it is set`(path: String, expected: String) async throws {
        let key = APIKey("k", inQuery: "api_key")
        let once = try await HTTPRequest.example(.get, path).authorized(by: key)
        expectEqual(once.path, expected)
        try await expectEqual(once.authorized(by: key).path, expected)
        expectEqual(once.credentialQueryNames, ["api_key"])
        #expect(once.fields.isEmpty)
    }

    @Test(
        .tags(.apiKeys),
        arguments: [
            ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"), ("a b", "a%20b"), ("100%", "100%25"), ("#?/", "%23%3F%2F"),
            ("ü€", "%C3%BC%E2%82%AC"), ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"), ("safe-._~", "safe-._~"),
            ("\r\n\0", "%0D%0A%00"),
        ])
    func `An API key has every character encoded in the query`(value: String, expected: String) async throws {
        let request = try await HTTPRequest.example().authorized(by: APIKey(value, inQuery: "key"))
        expectEqual(request.path, "/?key=\(expected)")
        try request.validateForSending()
    }

    @Test(.tags(.apiKeys)) func `An API key has its name encoded, too`() async throws {
        let key = APIKey("v", inQuery: "api key&")
        let request = try await HTTPRequest.example(.get, "/?api+key%26=old").authorized(by: key)
        expectEqual(request.path, "/?api%20key%26=v")
        expectEqual(request.credentialQueryNames, ["api key&"])
    }

    @Test(
        .tags(.tokenTypes),
        arguments: [
            (APIKey("k"), #"{"field":"X-API-Key","key":"k"}"#),
            (APIKey("k", inQuery: "q"), #"{"key":"k","query":"q"}"#),
            (APIKey("k", inField: "x-b"), #"{"field":"x-b","key":"k"}"#),
        ])
    func `An API key is stored in a form that stays`(key: APIKey, text: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        expectEqual(String(decoding: try encoder.encode(key), as: UTF8.self), text)
        try expectEqual(JSONDecoder().decode(APIKey.self, from: Data(text.utf8)), key)
        try expectEqual(JSONDecoder().decode(APIKey.self, from: Data(#"{"key":"k"}"#.utf8)), APIKey("k"))
    }

    @Test func `An API key is equal only to one at the same place`() {
        expectEqual(APIKey("k"), APIKey("k"))
        expectNotEqual(APIKey("k"), APIKey("l"))
        expectNotEqual(APIKey("k"), APIKey("k", inQuery: "X-API-Key"))
        expectNil(APIKey("k").expiry)
    }
}
