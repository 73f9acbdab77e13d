// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtobuf
import Testing

@Suite struct FieldMaskTests {
    @Test(
        arguments: [
            ([], ""), (["a"], "a"), (["a_b"], "aB"), (["a_b.c_d"], "aB.cD"), (["a", "b_c"], "a,bC"), (["_foo"], "Foo"),
            (["a1_b"], "a1B"), (["", "a"], ",a"), (["a."], "a."), (["é"], "é"),
        ] as [([String], String)])
    func `A field mask is one text of JSON, and comes back from it`(paths: [String], text: String) throws {
        let mask = FieldMask(paths: paths)
        try expectEqual(mask.json(), "\"\(text)\"")
        try expectEqual(FieldMask(json: "\"\(text)\""), mask)
    }

    @Test(arguments: [
        ["A"], ["a_1"], ["a__b"], ["a_"], ["_"], ["a_."], ["a,b"], [","], [""], ["a", "b,c"], ["fooBar"],
    ])
    func `A field mask is not a text of JSON if it would not come back`(paths: [String]) {
        #expect(throws: ProtoError.unrepresentable) { try FieldMask(paths: paths).json() }
    }

    @Test(arguments: ["a_b", "_", "a,b_c", "1", "[]", "{}", "null", "true"])
    func `A field mask is read from camel case only`(
        text: String
    ) {
        let json = "[]{}1nulltrue".contains(text) ? text : "\"\(text)\""
        #expect(throws: ProtoError.malformedJSON) { try FieldMask(json: json) }
    }

    @Test func `A field mask contains a field by its name or its parent's name`() {
        let mask: FieldMask = ["user.name", "id"]
        for path in ["user.name", "user.name.first", "id"] { #expect(mask.contains(path)) }
        for path in ["user", "user.names", "i", "ids", ""] { #expect(!mask.contains(path)) }
    }
}
