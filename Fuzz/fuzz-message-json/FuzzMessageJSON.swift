// SPDX-License-Identifier: Apache-2.0

import ConformanceTestee
import FuzzDriver
import LatchRPC

/// Reads bytes as the JSON of a message with fields of every kind: what is read can be written, in JSON and as text, and
/// reads back to the same message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessageJSON(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let json = bytes(data, count)
    check(TestAllTypesProto3.self, json)
    check(TestAllTypesProto2.self, json)
    return 0
}

private func check<Value: Message>(_ type: Value.Type, _ json: [UInt8]) {
    let (types, extensions) = (ConformanceTestee.types, ConformanceTestee.extensions)
    let ignoring = json.last == UInt8(ascii: " ")
    let reading = JSONReadingOptions(ignoresUnknownFields: ignoring, types: types, extensions: extensions)
    guard let message = read(Value.self, json, reading) else { return }
    do throws(ProtoError) {
        let written = try message.jsonBytes(JSONWritingOptions(types: types, extensions: extensions))
        let again = try Value(json: written, options: reading)
        hold(again == message, "a second reading gives the same message")
        hold(
            try again.jsonBytes(JSONWritingOptions(types: types, extensions: extensions)) == written,
            "and the same text")
        let text = message.text(TextWritingOptions(types: types, extensions: extensions))
        let options = TextReadingOptions(types: types, extensions: extensions)
        hold(try Value(text: text, options: options) == message, "the text format gives the same message")
        hold(try Value(serialized: message.serialized(), extensions: extensions) == message, "and so do bytes")
    } catch {
        hold(false, "what was read can be written and read again: \(error)")
    }
}

private func read<Value: Message>(_ type: Value.Type, _ json: [UInt8], _ options: JSONReadingOptions) -> Value? {
    do throws(ProtoError) {
        return try Value(json: json, options: options)
    } catch {
        return nil
    }
}
