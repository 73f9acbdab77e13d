// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchConformanceTestee
import LatchRPC
import TestVectors
import Testing

@Suite(.enabled("\(PythonProtobuf.hint)") { await PythonProtobuf.install() })
struct PythonProtobufTests {
    /// Texts with each kind of field, and with changes of a few characters that we still read.
    ///
    /// Python puts large integers with a point through a float, and is wrong there; those are left out.
    private func texts(_ seed: UInt64) -> [String] {
        var generator = SeededGenerator(seed: seed)
        let mutants = (0..<6_000).map { _ in changed(Self.seeds.randomElement(using: &generator) ?? "{}", &generator) }
        return Self.seeds + mutants.filter { message($0) != nil && !hasLongNumber($0) }
    }

    private func message(_ json: String) -> TestAllTypesProto3? {
        let options = JSONDecodingOptions(types: LatchConformanceTestee.types)
        do throws(ProtoError) {
            return try TestAllTypesProto3(json: json, options: options)
        } catch {
            return nil
        }
    }

    private func hasLongNumber(_ text: String) -> Bool {
        text.split { !$0.isASCII || !$0.isNumber }.contains { $0.count > 15 }
    }

    private func changed(_ text: String, _ generator: inout SeededGenerator) -> String {
        var characters = Array(text)
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let place = Int.random(in: 0...characters.count, using: &generator)
            if Bool.random(using: &generator) {
                characters.insert(contentsOf: Self.pieces.randomElement(using: &generator) ?? "", at: place)
            } else if place < characters.count {
                characters.remove(at: place)
            }
        }
        return String(characters)
    }

    @Test func `Python reads our JSON as the same message`() async throws {
        let texts = self.texts(35)
        #expect(texts.count > 100)
        for (text, theirs) in zip(texts, try await PythonProtobuf.read(texts)) {
            let ours = try #require(message(text), "\(text)")
            let theirs = try #require(theirs, "Python refuses \(text)")
            let read = try TestAllTypesProto3(serialized: theirs.bytes)
            try expectEqual(ours.serialized(deterministic: true), read.serialized(deterministic: true), "\(text)")
        }
    }

    @Test func `We read Python's JSON as the same message`() async throws {
        let texts = self.texts(36)
        for (text, theirs) in zip(texts, try await PythonProtobuf.read(texts)) {
            let theirs = try #require(theirs, "Python refuses \(text)")
            let ours = try #require(message(theirs.json), "\(theirs.json)")
            let read = try TestAllTypesProto3(serialized: theirs.bytes)
            try expectEqual(ours.serialized(deterministic: true), read.serialized(deterministic: true), "\(text)")
        }
    }

    private static let pieces = [
        "0", "1", "-1", "e2", ".5", "\"", "null", "true", "{}", "[]", ",", "\\u0041", "\\n", "\"NaN\"", " ", "\n", "a",
        "Z", "s", "_",
    ]

    private static let seeds = [
        #"{"optionalInt32":-1,"optionalInt64":"12","optional_uint32":1e3,"optionalDouble":0.1,"optionalFloat":"NaN"}"#,
        #"{"optionalBool":true,"optionalString":"\u00e9\uD83D\uDE00\n\"","optionalBytes":"-_8","oneofUint64":"0"}"#,
        #"{"repeatedInt32":[1,2.0],"repeatedNestedMessage":[{"a":1},{}],"repeatedNestedEnum":["BAR",-1,7]}"#,
        #"{"packedSint64":["-1"],"repeatedBytes":["","AQ=="],"unpackedFloat":[1.5,-0.0,"-Infinity"]}"#,
        #"{"mapInt32Int32":{"-1":1},"mapBoolBool":{"true":false},"mapStringNestedMessage":{"a":{"corecursive":{}}}}"#,
        #"{"optionalTimestamp":"2024-02-29T12:00:00.5+01:00","optionalDuration":"-1.000000001s","optionalFieldMask":"a.bC,d"}"#,
        #"{"optionalBoolWrapper":false,"optionalStringWrapper":"s","repeatedInt64Wrapper":["1",2],"optionalNullValue":null}"#,
        #"{"optionalStruct":{"a":[1,null,true,"x",{"b":{}}]},"optionalValue":null,"repeatedListValue":[[],[1]]}"#,
        #"{"optionalAny":{"@type":"x/google.protobuf.Duration","value":"1s"},"oneofNullValue":null}"#,
        #"{"FIELDName12":1,"_field_name3":2,"fieldname1":null,"optionalAliasedEnum":"moo"}"#,
    ]
}
