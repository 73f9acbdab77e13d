// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchConformanceTestee
import LatchRPC

/// Reads bytes as the text format of a message with fields of every kind: what is read can be written, and reads back to
/// the same message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessageText(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    check(TestAllTypesProto3.self, text)
    check(TestAllTypesProto2.self, text)
    return 0
}

private func check<Value: Message>(_ type: Value.Type, _ text: String) {
    let (types, extensions) = (LatchConformanceTestee.types, LatchConformanceTestee.extensions)
    let ignoring = text.hasSuffix(" ")
    let reading = TextFormatDecodingOptions(
        ignoresUnknownFields: ignoring, types: types, extensions: extensions, depth: 512)
    let writing = TextFormatEncodingOptions(types: types, extensions: extensions)
    guard let message = read(Value.self, text, reading) else { return }
    do throws(ProtoError) {
        // Bytes are compared, since NaN is no other NaN.
        let bytes = try message.serialized(deterministic: true)
        let again = try Value(text: message.text(writing), options: reading)
        hold(try again.serialized(deterministic: true) == bytes, "a second reading gives the same message")
        hold(again.text(writing) == message.text(writing), "and the same text")
    } catch {
        hold(false, "what was read can be written and read again: \(error)")
    }
}

private func read<Value: Message>(_ type: Value.Type, _ text: String, _ options: TextFormatDecodingOptions) -> Value? {
    do throws(ProtoError) {
        return try Value(text: text, options: options)
    } catch {
        return nil
    }
}
