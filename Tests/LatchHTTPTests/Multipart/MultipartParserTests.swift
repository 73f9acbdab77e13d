// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct MultipartParserTests {
    private static let type = "multipart/form-data; boundary=b"
    private static let disposition = "Content-Disposition: form-data; name=\"a\"\r\n"

    private func form(_ text: String, type: String = type, limits: MultipartForm.Limits = .init()) throws
        -> MultipartForm
    {
        try MultipartForm(parsing: Array(text.utf8), contentType: type, limits: limits)
    }

    /// A form of one part with these lines at its head.
    private func head(_ lines: String, content: String = "x") throws -> MultipartForm.Part? {
        try form("--b\r\n\(lines)\r\n\(content)\r\n--b--\r\n").parts.first
    }

    @Test(arguments: [
        "", "x", "\r\n\r\nx", "--b", "--b--", "\r\n--", "-", "\r", "\n", "\r\n", "\r\n--a\r\n", "--b--\r\n", "x\r\n--",
    ])
    func `The multipart parser finds any content without the boundary`(content: String) throws {
        let part = try #require(try head(Self.disposition, content: content))
        expectEqual(part, .init(name: "a", body: HTTPBody(content)))
    }

    @Test(
        arguments: [
            (#"form-data; name="a"; filename="x.txt""#, "a", "x.txt"), ("form-data;name=a;filename=x", "a", "x"),
            (#"form-data ; name = "a""#, nil, nil), (#"Form-Data; NAME="a"; FileName="""#, "a", ""),
            (#"form-data; filename="x"; name="a b;c=d""#, "a b;c=d", "x"), (#"form-data; name="""#, "", nil),
            (#"form-data; name="a\b""#, #"a\b"#, nil), (#"form-data; name="%22""#, "%22", nil),
            (#"form-data; name="é🦊""#, "é🦊", nil), ("form-data; other=1; name=a", "a", nil),
            ("form-data", nil, nil), ("form-data;", nil, nil), ("attachment; name=a", nil, nil), ("", nil, nil),
            ("form-data; name=", nil, nil), (#"form-data; name="a"#, nil, nil), (#"form-data; name="a"b"#, nil, nil),
            ("form-data; name=a; name=b", nil, nil), ("form-data; name=a; filename*=UTF-8''x", nil, nil),
            // dotnet/runtime#121484
            ("form-data; name=a; filename=x.txt; filename*=utf-8''x.txt", "a", "x.txt"),
            ("form-data; =a; name=a", nil, nil), ("form-data; name=a b", nil, nil),
            (#"form-data; name="a\"b""#, nil, nil),
            ("form-data; filename=x", nil, nil), ("form-data; name=a;", nil, nil), ("form-data; name=é", nil, nil),
        ] as [(String, String?, String?)])
    func `The multipart parser reads the stated properties of a part, or refuses it`(
        value: String, name: String?, filename: String?
    ) throws {
        let lines = "Content-Disposition: \(value)\r\n"
        guard let name else {
            #expect(throws: HTTPError.malformedMessage) { try head(lines) }
            return
        }
        let part = try #require(try head(lines))
        expectEqual(part.name, name)
        expectEqual(part.filename, filename)
    }

    @Test func `The multipart parser reads the media type and passes over other fields`() throws {
        let part = try head(
            "content-disposition:form-data; name=a\r\nCONTENT-TYPE:\timage/png; a=b \r\nX-Other: 1\r\n"
                + "Content-Transfer-Encoding: 8BIT\r\n")
        expectEqual(part?.mediaType, "image/png; a=b")
        try expectNil(head(Self.disposition)?.mediaType)
    }

    @Test(arguments: [
        "", "X: y\r\n", "Content-Disposition form-data\r\n", ": form-data; name=a\r\n", "Content Type: x\r\n",
        "Content-Disposition: form-data;\r\n name=a\r\n", "Content-Disposition: form-data; name=a\r\n\tx\r\n",
        "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n",
        "Content-Disposition: form-data; name=a\r\nContent-Type: a/b\r\ncontent-type: a/b\r\n",
        "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n",
        "Content-Disposition: form-data; name=\"a\u{0}\"\r\n", "Content-Disposition: form-data; name=\"a\rb\"\r\n",
        "\u{FEFF}Content-Disposition: form-data; name=a\r\n",
    ])
    func `The multipart parser refuses a head that two readers could read differently`(lines: String) {
        #expect(throws: HTTPError.malformedMessage) { try head(lines) }
    }

    @Test func `The multipart parser refuses a head that is not UTF-8`() {
        let bytes = Array("--b\r\nContent-Disposition: form-data; name=\"".utf8) + [0xFF]
        #expect(throws: HTTPError.malformedMessage) {
            try MultipartForm(parsing: bytes + Array("\"\r\n\r\nx\r\n--b--".utf8), contentType: Self.type)
        }
    }

    @Test(arguments: [
        "", "--b", "--b\r\n", "--c\r\n", "preamble\r\n--b--", "\n--b--", "--b --", "--b\n\n", "-", "--b-", "--b-x",
        "--b--x", "--b--\r\nx", "--b\r\n\(disposition)", "--b\r\n\(disposition)\r\n",
        "--b\r\n\(disposition)\r\nx", "--b\r\n\(disposition)\r\nx\r\n--b",
        "--b\r\n\(disposition)\r\nx\r\n--bx\r\n--b--",
        "--b\r\n\(disposition)\r\nx\r\n--b \r\n--b--", "--b\r\n\(disposition)\r\nx\n--b--",
    ])
    func `The multipart parser refuses truncated or otherwise framed content`(text: String) {
        #expect(throws: HTTPError.malformedMessage) { try form(text) }
    }

    @Test(arguments: ["--b--", "--b--\r", "--b--\r\n"])
    func `The multipart parser takes a form without parts`(text: String) throws {
        #expect(try form(text).parts.isEmpty)
    }

    /// HttpMultipartParser#116 (Unity), socketry/multipart-post#40 (Faraday).
    @Test(arguments: ["\r\n--b\r\n\(disposition)\r\nx\r\n--b--", "--b\r\n\(disposition)\r\nx\r\n--b--\r\n\r\n"])
    func `The multipart parser takes empty lines around a form`(text: String) throws {
        try expectEqual(form(text).parts.map(\.body.text), ["x"])
    }

    @Test(
        arguments: [
            ("multipart/form-data; boundary=b", true), ("Multipart/Form-Data;boundary=b", true),
            (#"multipart/form-data; charset=utf-8; Boundary="b""#, true), ("multipart/form-data", false),
            ("multipart/form-data; boundary=", false), (#"multipart/form-data; boundary="""#, false),
            ("multipart/mixed; boundary=b", false), ("text/plain; boundary=b", false), ("", false),
            ("multipart/form-data; boundary=b; boundary=c", false), (#"multipart/form-data; boundary="b "#, false),
            (#"multipart/form-data; boundary="b ""#, false), (#"multipart/form-data; boundary="b\#u{E9}""#, false),
            ("multipart/form-data; boundary=" + String(repeating: "b", count: 71), false),
        ])
    func `The multipart parser takes the boundary from a media type that has a valid one`(type: String, isTaken: Bool)
        throws
    {
        let text = "--b--"
        if isTaken {
            #expect(try form(text, type: type).parts.isEmpty)
        } else {
            #expect(throws: HTTPError.malformedMessage) { try form(text, type: type) }
        }
    }

    @Test func `The multipart parser limits the parts and the length of heads`() throws {
        var limits = MultipartForm.Limits()
        limits.parts = 3
        limits.headBytes = 100
        let part = "--b\r\n\(Self.disposition)\r\nx\r\n"
        try expectEqual(form(String(repeating: part, count: 3) + "--b--", limits: limits).parts.count, 3)
        #expect(throws: HTTPError.tooLarge) { try form(String(repeating: part, count: 4) + "--b--", limits: limits) }
        let long = "X: " + String(repeating: "y", count: 100)
        #expect(throws: HTTPError.tooLarge) { try form("--b\r\n\(long)", limits: limits) }
        #expect(throws: HTTPError.tooLarge) { try form("--b\r\n\(Self.disposition)\(long)\r\n\r\nx", limits: limits) }
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `The multipart parser finds contents that begin like a boundary`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let scraps = ["\r\n--b", "\r", "\n", "-", "--", "b", "\r\n", "x", "\r\n--", "\r\n-"]
        let contents = (0..<1 + random.below(4)).map { _ in
            (0..<random.below(12)).map { _ in random.pick(scraps) }.joined()
        }
        // A boundary of its own, which the scraps only begin with.
        let text = contents.map { "--bb1\r\n\(Self.disposition)\r\n\($0)\r\n" }.joined() + "--bb1--"
        let whole = try form(text, type: "multipart/form-data; boundary=bb1")
        expectEqual(whole.parts.map(\.body.text), contents, "seed \(seed)")
    }
}
