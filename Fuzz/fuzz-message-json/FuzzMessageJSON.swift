// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchConformanceTestee
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
    let (types, extensions) = (LatchConformanceTestee.types, LatchConformanceTestee.extensions)
    let ignoring = json.last == UInt8(ascii: " ")
    let reading = JSONDecodingOptions(ignoresUnknownFields: ignoring, types: types, extensions: extensions)
    guard let message = read(Value.self, json, reading) else { return }
    let writing = JSONEncodingOptions(types: types, extensions: extensions)
    let textWriting = TextFormatEncodingOptions(types: types, extensions: extensions)
    do throws(ProtoError) {
        // Bytes are compared, since NaN is no other NaN.
        let bytes = try message.serialized(deterministic: true)
        let written = try message.jsonBytes(writing)
        let again = try Value(json: written, options: reading)
        hold(try again.serialized(deterministic: true) == bytes, "a second reading gives the same message")
        hold(try again.jsonBytes(writing) == written, "and the same text")
        let options = TextFormatDecodingOptions(types: types, extensions: extensions, depth: 512)
        let read = try Value(text: message.text(textWriting), options: options)
        hold(try read.serialized(deterministic: true) == bytes, "the text format gives the same message")
        let decoded = try Value(serialized: bytes, limits: DecodingLimits(depth: 512), extensions: extensions)
        hold(try decoded.serialized(deterministic: true) == bytes, "and so do bytes")
    } catch {
        hold(false, "what was read can be written and read again: \(error)")
    }
}

private func read<Value: Message>(_ type: Value.Type, _ json: [UInt8], _ options: JSONDecodingOptions) -> Value? {
    do throws(ProtoError) {
        return try Value(json: json, options: options)
    } catch {
        return nil
    }
}
