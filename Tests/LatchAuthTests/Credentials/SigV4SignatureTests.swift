// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchTesting
import Testing

@Suite struct SigV4SignatureTests {
    /// The credential of the examples in Amazon's guide to S3, on 24 May 2013.
    private func s3(_ content: SigV4Signature.Content = .signed, token: String? = nil) -> SigV4Signature {
        SigV4Signature(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            sessionToken: token, region: "us-east-1", service: "s3", content: content,
            clock: .standing(at: 1_369_353_600))
    }

    private func request(
        _ method: HTTPMethod = .get, _ path: String, fields: HTTPFields = [:], body: HTTPBody = .empty
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, authority: "examplebucket.s3.amazonaws.com", path: path, fields: fields, body: body)
    }

    private func signature(_ request: HTTPRequest) -> String {
        String((request.fields[.authorization] ?? "").split(separator: "Signature=").last ?? "")
    }

    /// "Authenticating Requests: Using the Authorization Header", the four examples.
    @Test func `An AWS signature equals that of the guide to S3 for its examples`() async throws {
        let object = try await request(.get, "/test.txt", fields: ["Range": "bytes=0-9"]).authorized(by: s3())
        expectEqual(signature(object), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
        let put = try await request(
            .put, "/test$file.text",
            fields: [.date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
            body: HTTPBody("Welcome to Amazon S3.")
        ).authorized(by: s3())
        expectEqual(signature(put), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
        expectEqual(
            put.fields["X-Amz-Content-Sha256"], "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        let lifecycle = try await request(.get, "/?lifecycle").authorized(by: s3())
        expectEqual(signature(lifecycle), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
        let list = try await request(.get, "/?max-keys=2&prefix=J").authorized(by: s3())
        expectEqual(signature(list), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    /// "Authenticating Requests: Using Query Parameters", its example.
    @Test func `An AWS signature has the session token as a field that is a secret`() async throws {
        let signed = try await request(.get, "/a").authorized(by: s3(token: "session"))
        expectEqual(signed.fields["x-amz-security-token"], "session")
        #expect(signed.isCredential("X-Amz-Security-Token"))
        expectEqual(signed.fields[.authorization]?.contains("x-amz-security-token,"), true)
        #expect(try await request(.get, "/a").authorized(by: s3()).credentialFields.isEmpty)
    }

    @Test(arguments: [
        ("/a//b/./c/../d", "/a//b/./c/../d"), ("/a%20b", "/a%20b"), ("/a+b", "/a%2Bb"), ("/%7Ea", "/~a"), ("/", "/"),
        ("", "/"),
        ("/a%2Fb/%2f", "/a%2Fb/%2F"), ("/test$file", "/test%24file"), ("/%C3%BC", "/%C3%BC"),
    ])
    func `An AWS signature for S3 takes the path as it is`(path: String, canonical: String) {
        expectEqual(canonicalPath(path, keepsPath: true), canonical)
    }

    @Test(arguments: [
        ("/a//b/./c/../d", "/a/b/d"), ("/a%20b", "/a%2520b"), ("/a+b", "/a%2Bb"), ("/..", "/"), ("", "/"),
        ("/a/", "/a/"), ("/a/..", "/"), ("/a/b/../", "/a/"),
    ])
    func `An AWS signature for other services normalizes the path and encodes it twice`(path: String, canonical: String)
    {
        expectEqual(canonicalPath(path, keepsPath: false), canonical)
    }

    private func canonicalPath(_ path: String, keepsPath: Bool) -> String {
        let canonical = SigV4CanonicalRequest(request(.get, path), names: ["host"], payload: "", keepsPath: keepsPath)
        return String(canonical.text.split(separator: "\n", omittingEmptySubsequences: false)[1])
    }

    @Test(arguments: [("example.com:443", "example.com"), ("Example.com", "Example.com"), ("h:8443", "h:8443")])
    func `An AWS signature covers the host as it is sent`(authority: String, host: String) {
        let request = HTTPRequest(authority: authority, path: "/")
        let canonical = SigV4CanonicalRequest(request, names: ["host"], payload: "", keepsPath: false)
        #expect(canonical.text.contains("\nhost:\(host)\n"))
    }

    @Test func `An AWS signature covers no field that is changed on the way`() async throws {
        let fields: HTTPFields = [
            .userAgent: "a", "Connection": "close", "Expect": "100-continue", "X-Amzn-Trace-Id": "1", "X-Mine": "2",
            .authorization: "old",
        ]
        let signed = try await request(.get, "/", fields: fields).authorized(by: s3())
        expectEqual(
            signed.fields[.authorization]?.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-mine,"), true)
    }

    @Test func `An AWS signature is made again for each attempt, in place of the last one`() async throws {
        let credential = SigV4Signature(
            accessKeyID: "a", secretAccessKey: "b", sessionToken: "c", region: "r", service: "s",
            clock: .ticking(from: 1_440_938_159))
        let first = try await request(.get, "/").authorized(by: credential)
        let second = try await first.authorized(by: credential)
        expectEqual(first.fields["X-Amz-Date"], "20150830T123559Z")
        expectEqual(second.fields["X-Amz-Date"], "20150830T123600Z")
        expectNotEqual(signature(first), signature(second))
        expectEqual(second.fields.count, first.fields.count)
        expectEqual(second.fields.values(of: .authorization).count, 1)
    }

    @Test func `An AWS signature covers a file that is read as it is sent`() async throws {
        try await withTemporaryFolder { folder in
            try Data("Welcome to Amazon S3.".utf8).write(to: URL(filePath: "\(folder)/file"))
            let body = HTTPBody(try .file(at: "\(folder)/file"))
            let signed = try await request(.put, "/f", body: body).authorized(by: s3())
            expectEqual(
                signed.fields["x-amz-content-sha256"],
                "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        }
    }

    @Test
    func `An AWS signature is not made over a stream that can be read once, unless its content is left out`()
        async throws
    {
        let body = HTTPBody(.once("hello"))
        await #expect(throws: AuthError.unsignableContent) {
            try await request(.put, "/f", body: body).authorized(by: s3())
        }
        let signed = try await request(.put, "/f", body: body).authorized(by: s3(.unsigned))
        expectEqual(signed.fields["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
        try await expectEqual(signed.body.collected(upTo: 10), Array("hello".utf8))
    }
}

@Suite struct SigV4ServiceTests {
    private func credential(
        _ content: SigV4Signature.Content = .signed, service: String = "execute-api", token: String? = nil
    ) -> SigV4Signature {
        SigV4Signature(
            accessKeyID: "AKID", secretAccessKey: "secret", sessionToken: token, region: "eu-central-1",
            service: service, content: content, clock: .standing(at: 1_440_938_160))
    }

    @Test func `An AWS signature of a service that is not S3 states its digest only if it is left out`() async throws {
        let signed = try await HTTPRequest.example(.post, "/", body: HTTPBody("x")).authorized(by: credential())
        expectNil(signed.fields["X-Amz-Content-Sha256"])
        let unsigned = try await HTTPRequest.example(.post, "/", body: HTTPBody("x"))
            .authorized(by: credential(.unsigned))
        expectEqual(unsigned.fields["X-Amz-Content-Sha256"], "UNSIGNED-PAYLOAD")
        for service in ["s3", "s3-outposts", "s3-object-lambda"] {
            let object = try await HTTPRequest.example().authorized(by: credential(service: service))
            expectEqual(object.fields["X-Amz-Content-Sha256"]?.utf8.count, 64, "\(service)")
        }
        let other = try await HTTPRequest.example().authorized(by: credential(service: "s3tables"))
        expectNil(other.fields["X-Amz-Content-Sha256"])
    }

    @Test func `An AWS signature of a service that is not S3 changes with every part that it covers`()
        async throws
    {
        let request = HTTPRequest.example(.post, "/a?b=1", fields: ["X-A": "1"], body: HTTPBody("x"))
        let base = SigV4Signature(
            accessKeyID: "A", secretAccessKey: "s", region: "r", service: "v", clock: .standing(at: 1_440_938_160))
        func signature(_ credential: SigV4Signature, _ request: HTTPRequest) async throws -> String {
            String(try await request.authorized(by: credential).fields[.authorization]?.suffix(64) ?? "")
        }
        var seen = [try await signature(base, request)]
        let others = [
            SigV4Signature(accessKeyID: "A", secretAccessKey: "t", region: "r", service: "v", clock: base.clock),
            SigV4Signature(accessKeyID: "A", secretAccessKey: "s", region: "q", service: "v", clock: base.clock),
            SigV4Signature(accessKeyID: "A", secretAccessKey: "s", region: "r", service: "w", clock: base.clock),
            SigV4Signature(
                accessKeyID: "A", secretAccessKey: "s", region: "r", service: "v", clock: .standing(at: 1_441_024_560)),
            SigV4Signature(
                accessKeyID: "A", secretAccessKey: "s", sessionToken: "t", region: "r", service: "v", clock: base.clock),
        ]
        for other in others { seen.append(try await signature(other, request)) }
        for change in [
            { $0.method = .put }, { $0.path = "/b?b=1" }, { $0.path = "/a?b=2" }, { $0.fields["X-A"] = "2" },
            { $0.body = HTTPBody("y") }, { $0.authority = "other.example" }, { $0.fields["X-B"] = "1" },
        ] as [(inout HTTPRequest) -> Void] {
            var changed = request
            change(&changed)
            seen.append(try await signature(base, changed))
        }
        expectEqual(Set(seen).count, seen.count)
    }
}
