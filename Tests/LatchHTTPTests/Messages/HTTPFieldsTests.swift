// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@Suite struct HTTPFieldsTests {
    @Test func `Header fields are found without case and kept as they were spelled`() {
        let fields: HTTPFields = ["CoNtEnT-TyPe": "text/plain", "X-A": "1"]
        expectEqual(fields[.contentType], "text/plain")
        expectEqual(fields["content-type"], "text/plain")
        expectEqual(fields.map(\.name.rawName), ["CoNtEnT-TyPe", "X-A"])
        expectNil(fields["x-b"])
    }

    @Test func `Header fields keep every line in order`() {
        var fields: HTTPFields = ["Set-Cookie": "a=1", "X": "x"]
        fields.append("b=2", for: .setCookie)
        expectEqual(fields.values(of: "set-cookie"), ["a=1", "b=2"])
        expectEqual(fields[.setCookie], "a=1")
        expectEqual(fields.map(\.value), ["a=1", "x", "b=2"])
    }

    @Test func `Header fields are all replaced by setting, at the place of the first`() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3", "C": "4", "A": "5"]
        fields["a"] = "new"
        expectEqual(fields.map { "\($0.name.rawName)=\($0.value)" }, ["a=new", "B=2", "C=4"])
    }

    @Test func `Header fields are all removed by setting nil`() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["A"] = nil
        expectEqual(fields.map(\.value), ["2"])
        fields["missing"] = nil
        expectEqual(fields.count, 1)
    }

    @Test func `Header fields have one value of a name, or none if it is ambiguous`() {
        let fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        expectEqual(fields.onlyValue(of: "b"), "2")
        expectNil(fields.onlyValue(of: "A"))
        expectNil(fields.onlyValue(of: "C"))
    }

    @Test func `Header fields break no message, wherever CR, LF or NUL is in the value`() throws {
        for count in 1..<26 {
            for place in 0..<count {
                for byte in [UInt8(0), 0x09, 0x0A, 0x0D, 0x1F, 0x7F] {
                    var bytes = [UInt8](repeating: place.isMultiple(of: 2) ? 0x61 : 0x20, count: count)
                    bytes[place] = byte
                    let fields = HTTPFields(dictionaryLiteral: ("X", String(decoding: bytes, as: UTF8.self)))
                    if [0, 0x0A, 0x0D].contains(byte) {
                        #expect(throws: HTTPError.self) { try fields.validate() }
                    } else {
                        try fields.validate()
                    }
                }
            }
        }
        try HTTPFields(dictionaryLiteral: ("X", "Grüße, 世界 \u{7F}\u{80}")).validate()
    }

    @Test func `Header fields are equal by name without case, by value with case, and by order`() {
        expectEqual(HTTPFields(dictionaryLiteral: ("A", "x")), ["a": "x"])
        expectNotEqual(HTTPFields(dictionaryLiteral: ("A", "x")), ["a": "X"])
        expectNotEqual(HTTPFields(dictionaryLiteral: ("A", "1"), ("B", "2")), ["B": "2", "A": "1"])
    }

    @Test(arguments: ["X-A", "a", "!#$%&'*+-.^_`|~09", "ETag"])
    func `Header fields can be named with any token`(name: String) throws {
        var fields = HTTPFields()
        fields.append("v", for: HTTPFieldName(name))
        try fields.validate()
    }

    @Test(arguments: ["", " ", "a b", "a:", "a\r\nb", "a\u{0}", "a\"", "a/b", "é", "a(b)", "a,b"])
    func `Header fields cannot have any other name`(name: String) {
        var fields = HTTPFields()
        fields.append("v", for: HTTPFieldName(name))
        let error = #expect(throws: HTTPError.self) { try fields.validate() }
        expectEqual(error?.code, HTTPError.invalidField.code)
    }

    @Test(arguments: ["", "a b", "a\tb", "é 日本", "\"quoted\"", "a:b;c,d"])
    func `Header fields can hold any character that breaks no line`(value: String) throws {
        try HTTPFields(dictionaryLiteral: ("X", value)).validate()
    }

    @Test(arguments: ["secret\r\nSet-Cookie: a=b", "secret\n", "\rsecret", "secret\u{0}"])
    func `Header fields cannot hold a line end, and the error does not show it`(value: String) {
        let error = #expect(throws: HTTPError.self) { try HTTPFields(dictionaryLiteral: ("X-A", value)).validate() }
        expectEqual(error?.message.contains("X-A"), true)
        expectEqual(error?.message.contains("secret"), false)
    }

    @Test func `Header fields that carry a credential are known in each request`() {
        var request = HTTPRequest(authority: "h", path: "/")
        for name in ["authorization", "COOKIE", "Proxy-Authorization", "DPoP"] {
            #expect(request.isCredential(HTTPFieldName(name)))
        }
        #expect(!request.isCredential("X-Api-Key"))
        request.credentialFields.append("X-Api-Key")
        #expect(request.isCredential("x-api-key"))
    }
}
