// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct KeyOutageTests {
    private let key: Key

    init() throws { key = try Key.generate(.eddsa, id: "k1") }

    @Test func `Keys whose issuer cannot be reached are used for a time, and then no longer`() async throws {
        try await PublishedKeys.serve([key], fields: [.cacheControl: "max-age=100"]) { issuer in
            let verifier = try issuer.verifier(RemoteKeyPolicy(staleIfError: .seconds(1_000)))
            let text = try issuer.token(key)
            _ = try await verifier.verify(text)
            issuer.fail()
            issuer.clock.advance(by: .seconds(100))
            try await expectEqual(verifier.verify(text).subject, "u1")
            issuer.clock.advance(by: .seconds(999))
            try await expectEqual(verifier.verify(text).subject, "u1")
            issuer.clock.advance(by: .seconds(1))
            await #expect { try await verifier.verify(text) } throws: { AuthError.keysUnavailable ~= $0 }
            issuer.answer(nil)
            issuer.clock.advance(by: .seconds(30))
            try await expectEqual(verifier.verify(text).subject, "u1")
        }
    }

    @Test(arguments: [
        ("max-age=100, stale-if-error=50", 149, 151), ("max-age=100, stale-if-error=99999", 1_099, 1_101),
    ])
    func `Keys whose issuer cannot be reached are used no longer than the answer and the policy allow`(
        control: String, last: Int, over: Int
    ) async throws {
        try await PublishedKeys.serve([key], fields: [.cacheControl: control]) { issuer in
            let keys = try issuer.keySet(RemoteKeyPolicy(staleIfError: .seconds(1_000)))
            _ = try await keys.keys()
            issuer.fail(.serviceUnavailable)
            issuer.clock.advance(by: .seconds(last))
            try await expectEqual(keys.keys().keys.count, 1)
            issuer.clock.advance(by: .seconds(over - last))
            await #expect { try await keys.keys() } throws: { AuthError.keysUnavailable ~= $0 }
        }
    }

    @Test func `Keys whose issuer cannot be reached are requested at growing intervals`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            issuer.fail()
            let keys = try issuer.keySet()
            var asked: [Int] = []
            for second in 0..<130 {
                let before = issuer.count
                for _ in 0..<3 {
                    await #expect { try await keys.keys() } throws: { AuthError.keysUnavailable ~= $0 }
                }
                if issuer.count > before { asked.append(second) }
                issuer.clock.advance(by: .seconds(1))
            }
            expectEqual(asked, [0, 1, 3, 7, 15, 31, 61, 91, 121])
            expectEqual(issuer.count, asked.count)
            issuer.answer(nil)
            issuer.clock.advance(by: .seconds(30))
            try await expectEqual(keys.keys().keys.count, 1)
        }
    }

    @Test
    func `Keys whose issuer cannot be reached are unavailable to a token of an unknown key, not unknown`() async throws
    {
        try await PublishedKeys.serve([key]) { issuer in
            let verifier = try issuer.verifier()
            let (good, new) = (try issuer.token(key), try issuer.token(Key.generate(.eddsa, id: "new")))
            _ = try await verifier.verify(good)
            issuer.fail()
            issuer.clock.advance(by: .seconds(30))
            for _ in 0..<3 {
                await #expect { try await verifier.verify(new) } throws: { AuthError.keysUnavailable ~= $0 }
                try await expectEqual(verifier.verify(good).subject, "u1")
            }
            expectEqual(issuer.count, 2)
        }
    }

    @Test
    func `Keys whose issuer cannot be reached are refused if the answer is invalid, secret or too long`() async throws {
        let secret = try Key.generate(.hs256).jwkWithSecretsForStorage()
        let bodies: [String] = [
            "", "{}", "[]", "<html>", #"{"keys":[],"keys":[]}"#, #"{"keys":1}"#,
            String(decoding: JSONValue.object(["keys": [.object(secret)]]).serialized(), as: UTF8.self),
            #"{"keys":[],"x":"\#(String(repeating: "a", count: 300_000))"}"#,
        ]
        try await PublishedKeys.serve([key]) { issuer in
            for body in bodies {
                issuer.answer { _ in HTTPResponse(status: .ok, body: HTTPBody(body)) }
                await #expect { try await issuer.keySet().keys() } throws: { AuthError.keysUnavailable ~= $0 }
            }
            for status in [201, 204, 206, 400, 401, 404, 500, 503] {
                issuer.fail(HTTPStatus(rawValue: status))
                await #expect { try await issuer.keySet().keys() } throws: { AuthError.keysUnavailable ~= $0 }
            }
        }
    }

    @Test(.tags(.hugeToken))
    func `Keys whose issuer cannot be reached are read no further than the limit`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let sent = Mutex(0)
            issuer.answer { _ in
                let endless = HTTPBodyStream(once: {
                    sent.withLock { $0 += 1 << 16 }
                    return [UInt8](repeating: 0x20, count: 1 << 16)
                })
                return HTTPResponse(status: .ok, body: HTTPBody(endless))
            }
            await #expect { try await issuer.keySet().keys() } throws: { AuthError.keysUnavailable ~= $0 }
            #expect(sent.withLock { $0 } < 64 << 20)
        }
    }

    @Test func `Keys that are published whole are used by their public half only`() async throws {
        let whole = try key.jwkWithSecretsForStorage()
        try await PublishedKeys.serve([]) { issuer in
            issuer.answer { _ in
                HTTPResponse(status: .ok, body: HTTPBody(JSONValue.object(["keys": [.object(whole)]]).serialized()))
            }
            let keys = try await issuer.keySet().keys()
            expectEqual(keys.keys.map(\.canSign), [false])
        }
    }
}

@Suite struct KeyAddressTests {
    private let key: Key

    init() throws { key = try Key.generate(.eddsa, id: "k1") }

    @Test(arguments: [
        "http://id.example/jwks", "http://127.0.0.1.example/jwks", "http://10.0.0.1/jwks", "ftp://id.example/jwks",
        "file:///etc/passwd", "https:///jwks", "https://user:secret@id.example/jwks",
    ])
    func `The address of an issuer's keys is refused if an attacker on the network could replace the keys`(text: String)
        throws
    {
        let url = try #require(URL(string: text))
        #expect(throws: HTTPError.self) { try RemoteKeySet(url: url) }
    }

    @Test(arguments: [
        "https://id.example/jwks", "http://127.0.0.1:1/jwks", "http://[::1]:1/jwks", "http://localhost:1/",
    ])
    func `The address of an issuer's keys can be https, or this machine`(text: String) throws {
        _ = try RemoteKeySet(url: try #require(URL(string: text)))
    }

    @Test func `The address of an issuer's keys can redirect only within its origin`() async throws {
        let key = key
        try await PublishedKeys.serve([key]) { other in
            try await PublishedKeys.serve([key]) { issuer in
                try await Self.checkRedirects(of: issuer, elsewhere: other.url.absoluteString, key)
            }
            expectEqual(other.count, 0)
        }
    }

    private static func checkRedirects(of issuer: PublishedKeys, elsewhere: String, _ key: Key) async throws {
        let body = KeySet([key]).jwks().serialized()
        issuer.answer { request in
            guard request.path.hasPrefix("/jwks.json") else { return HTTPResponse(status: .ok, body: HTTPBody(body)) }
            return HTTPResponse(status: HTTPStatus(rawValue: 302), fields: [.location: "/moved"])
        }
        try await expectEqual(issuer.keySet().keys().keys.count, 1)
        for location in [elsewhere, "/jwks.json"] {
            issuer.answer { _ in HTTPResponse(status: HTTPStatus(rawValue: 302), fields: [.location: location]) }
            await #expect { try await issuer.keySet().keys() } throws: { AuthError.keysUnavailable ~= $0 }
        }
    }

    @Test func `The address of an issuer's keys is named in errors and descriptions without its query`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            issuer.fail()
            let keys = try issuer.keySet()
            #expect("\(keys)".hasSuffix("/jwks.json)"))
            await #expect { try await keys.keys() } throws: { error in
                "\(error)".contains("/jwks.json") && !"\(error)".contains("tenant=secret")
            }
        }
    }
}
