// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import TestVectors
import Testing

/// A form whose boundary is known.
private let boundary = "latch-00000000000000000000000000000000"

@Suite struct MultipartFormTests {
    private func form() -> MultipartForm { MultipartForm(random: RandomSource { 0 }) }

    private func head(of part: MultipartForm.Part) throws -> String {
        var form = form()
        form.parts = [part]
        let text = try #require(try form.encoded().body.text)
        return try #require(text.split(separator: "\r\n").dropFirst().first.map(String.init))
    }

    @Test(.tags(.multipartForms)) func `A form with files has the bytes of RFC 7578`() throws {
        var form = form()
        form.add("Ada", named: "name")
        form.add(Array("PNG".utf8), named: "picture", filename: "ada.png", mediaType: "image/png")
        form.add("", named: "empty")
        let encoded = try form.encoded()
        expectEqual(encoded.mediaType, "multipart/form-data; boundary=\(boundary)")
        let lines = [
            "--\(boundary)", #"Content-Disposition: form-data; name="name""#, "", "Ada",
            "--\(boundary)", #"Content-Disposition: form-data; name="picture"; filename="ada.png""#,
            "Content-Type: image/png", "", "PNG",
            "--\(boundary)", #"Content-Disposition: form-data; name="empty""#, "", "", "--\(boundary)--", "",
        ]
        expectEqual(encoded.body.text, lines.joined(separator: "\r\n"))
        try expectEqual(self.form().encoded().body.text, "--\(boundary)--\r\n")
    }

    @Test(
        .tags(.multipartForms),
        arguments: [
            (#"a"b"#, "a%22b"), ("a\r\nX-Evil: 1", "a%0D%0AX-Evil: 1"), ("a\rb\nc", "a%0Db%0Ac"),
            (#"a"; filename="b"#, "a%22; filename=%22b"), ("日本 🦊.png", "日本 🦊.png"), ("e\u{301}", "e\u{301}"),
            (#"C:\dir\a"#, #"C:\dir\a"#), ("a;b=c", "a;b=c"), ("100%", "100%"), ("", ""), ("\u{2028}", "\u{2028}"),
        ])
    func `A form with files escapes characters that would end a name or its line, as browsers do`(
        name: String, written: String
    ) throws {
        let part = MultipartForm.Part(name: name, filename: name, body: HTTPBody("x"))
        try expectEqual(
            Array(head(of: part).utf8),
            Array(#"Content-Disposition: form-data; name="\#(written)"; filename="\#(written)""#.utf8))
    }

    @Test(.tags(.multipartForms))
    func `A form with files refuses characters in a name or media type that readers treat differently`() {
        for name in ["a\u{0}", "\u{0}", #"a\"#, #"\"#, #"\\"#] {
            #expect(throws: HTTPError.unencodable) { try head(of: .init(name: name, body: .empty)) }
            #expect(throws: HTTPError.unencodable) { try head(of: .init(name: "a", filename: name, body: .empty)) }
        }
        for type in ["text/plain\r\nX-Evil: 1", "a\nb", "a\u{0}"] {
            #expect(throws: HTTPError.invalidField) {
                try head(of: .init(name: "a", mediaType: type, body: .empty))
            }
        }
    }

    @Test
    func `A form with files draws another boundary each time, and keeps it for a repeated request`() async throws {
        var form = MultipartForm()
        form.add("a", named: "a")
        try expectNotEqual(form.encoded().mediaType, form.encoded().mediaType)
        form.add(pieces(["b", "c"]), named: "b", filename: "b")
        let body = try form.encoded().body
        #expect(body.isReplayable)
        try await expectEqual(body.collected(upTo: 1_000), body.collected(upTo: 1_000))
    }

    @Test func `A form with files knows its length if all parts do, and can be sent again if they can`() async throws {
        var form = form()
        form.add("text", named: "a")
        form.add(pieces(["ab", "cd"], length: 4), named: "b", filename: "b")
        let known = try form.encoded().body
        expectEqual(known.length, try await known.collected(upTo: 1_000).count)
        #expect(known.isReplayable)
        form.add(pieces(["x"]), named: "c", filename: "c")
        try expectNil(form.encoded().body.length)
        let spent = Mutex(false)
        form.add(
            HTTPBodyStream(once: {
                spent.withLock { isSpent in
                    defer { isSpent = true }
                    return isSpent ? nil : [1]
                }
            }), named: "d", filename: "d")
        let once = try form.encoded().body
        #expect(!once.isReplayable)
        #expect(try await !once.collected(upTo: 1_000).isEmpty)
        await #expect(throws: HTTPError.streamSpent) { try await once.collected(upTo: 1_000) }
    }

    @Test(arguments: [3, 5])
    func `A form with files ends with an error if a part has another length than it said`(length: Int) async throws {
        var form = form()
        form.add(pieces(["ab", "cd"], length: length), named: "b", filename: "b")
        let body = try form.encoded().body
        await #expect(throws: HTTPError.lengthMismatch) { try await body.collected(upTo: 1_000) }
    }

    @Test func `A form with files takes files from the disk, under their own names or others`() async throws {
        try await withTemporaryFolder { folder in
            try Data("abc".utf8).write(to: URL(filePath: folder + "/a é.txt"))
            var form = form()
            try form.add(fileAt: folder + "/a é.txt", named: "one", mediaType: "text/plain")
            try form.add(fileAt: folder + "/a é.txt", named: "two", filename: "b.txt")
            let encoded = try form.encoded()
            let bytes = try await encoded.body.collected(upTo: 1_000)
            expectEqual(encoded.body.length, bytes.count)
            let read = try MultipartForm(parsing: bytes, contentType: encoded.mediaType ?? "")
            expectEqual(
                read.parts,
                [
                    .init(name: "one", filename: "a é.txt", mediaType: "text/plain", body: HTTPBody("abc")),
                    .init(
                        name: "two", filename: "b.txt", mediaType: "application/octet-stream", body: HTTPBody("abc")),
                ])
            #expect(throws: HTTPError.fileUnavailable) { try form.add(fileAt: folder + "/none", named: "x") }
        }
    }

    @Test func `A form with files ends with the error of a part`() async throws {
        var form = form()
        form.add(pieces(["ab"], then: .fileChanged), named: "b", filename: "b")
        let body = try form.encoded().body
        await #expect(throws: HTTPError.fileChanged) { try await body.collected(upTo: 1_000) }
    }

    @Test func `A form with files is in memory if it is small, so that it can be signed`() throws {
        var form = form()
        form.add([UInt8](repeating: 1, count: 1_000), named: "a", filename: "a")
        try expectNil(form.encoded().body.stream)
        form.add([UInt8](repeating: 1, count: 2 << 20), named: "b", filename: "b")
        let large = try form.encoded().body
        #expect(large.stream != nil)
        #expect((large.length ?? 0) > 2 << 20)
    }
}

@Suite struct MultipartInteropTests {
    /// Every byte, and what looks like a boundary.
    private static let parts: [MultipartForm.Part] = [
        .init(name: "text", body: HTTPBody("é & = \r\n--x")),
        .init(
            name: "all", filename: "日本 🦊.bin", mediaType: "application/octet-stream",
            body: HTTPBody((0...255).map { UInt8($0) })),
        .init(name: "empty", filename: "", body: .empty),
        .init(name: "text", body: HTTPBody("again")),
        .init(name: "ends", filename: "a;b=c.txt", mediaType: "text/plain; charset=utf-8", body: HTTPBody("--\r\n\r")),
    ]

    private func check(_ parts: [[String: String]], against expected: [MultipartForm.Part]) {
        expectEqual(parts.count, expected.count)
        for (part, expected) in zip(parts, expected) {
            expectEqual(part["name"], expected.name)
            expectEqual(part["filename"], expected.filename)
            expectEqual(part["content"], expected.body.bytes.map { String($0) }.joined(separator: " "))
        }
    }

    @Test(.tags(.multipartForms), .enabled(if: PythonCommand.isPresent, Comment(rawValue: PythonCommand.hint)))
    func `A form with files is the same to Python's parser`() async throws {
        var form = MultipartForm()
        form.parts = Self.parts
        let encoded = try form.encoded()
        let script = """
            import base64, email.policy, json, sys
            from email.parser import BytesParser
            head, body = open(sys.argv[1]).read().split("\\n")
            head = ("Content-Type: " + head + "\\r\\n\\r\\n").encode()
            message = BytesParser(policy=email.policy.HTTP).parsebytes(head + base64.b64decode(body))
            parts = []
            for part in message.iter_parts():
                disposition = part["content-disposition"]
                found = {"name": disposition.params["name"]}
                if "filename" in disposition.params: found["filename"] = disposition.params["filename"]
                found["content"] = " ".join(str(byte) for byte in part.get_payload(decode=True))
                parts.append(found)
            print(json.dumps(parts))
            """
        let input = "\(encoded.mediaType ?? "")\n\(Data(encoded.body.bytes).base64EncodedString())"
        let output = try await PythonCommand.run(script, input: input)
        let parts = try JSONDecoder().decode([[String: String]].self, from: Data(output.utf8))
        // An empty name of a file is none to Python, and it takes no part in the comparison.
        check(
            parts.map { part in part.merging(part["name"] == "empty" ? ["filename": ""] : [:]) { $1 } },
            against: Self.parts)
    }

    @Test(.tags(.multipartForms)) func `A form with files is the same to our server`() async throws {
        var form = MultipartForm()
        form.parts = Self.parts
        let sent = form
        var router = Router()
        router.post("/files") { request in
            let form = try request.multipartForm()
            let parts = form.parts.map { part in
                var fields = [
                    "name": part.name, "content": part.body.bytes.map { String($0) }.joined(separator: " "),
                ]
                fields["filename"] = part.filename
                return fields
            }
            return HTTPResponse(status: .ok, body: HTTPBody([UInt8](try JSONEncoder().encode(parts))))
        }
        let handler = router
        try await serving(handler) { address in
            let client = Client(baseURL: try #require(URL(string: address.url)), transport: CurlTransport())
            let parts = try await client.perform(.post("files", sending: .multipart(sent), as: [[String: String]].self))
            check(parts, against: Self.parts)
            let wrong = await #expect(throws: HTTPError.unacceptableStatus) {
                try await client.perform(.post("files", sending: .form([("a", "b")])))
            }
            expectEqual(wrong?.response?.status, .unsupportedMediaType)
            let broken = await #expect(throws: HTTPError.unacceptableStatus) {
                try await client.perform(
                    .post("files", sending: .bytes([1], as: "multipart/form-data; boundary=x")))
            }
            expectEqual(broken?.response?.status, .badRequest)
        }
    }
}
