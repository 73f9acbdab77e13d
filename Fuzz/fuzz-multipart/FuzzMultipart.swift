// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Parses bytes as a form with files; a parsed form can be written and parsed again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    let type = "multipart/form-data; boundary=b"
    let form = try? MultipartForm(parsing: input, contentType: type)
    if let form { holdWritten(form) }
    // As a field line, too.
    if let text = String(validating: input, as: UTF8.self) {
        _ = try? MultipartForm(parsing: input, contentType: text)
    }
    return 0
}

/// What is read is written in another way, such as a quotation mark, only where a name holds it.
private func holdWritten(_ form: MultipartForm) {
    guard let encoded = try? form.encoded(), let type = encoded.mediaType, encoded.body.stream == nil else { return }
    let again = try? MultipartForm(parsing: encoded.body.bytes, contentType: type)
    hold(again?.parts.count == form.parts.count, "\(form.parts.count) parts stay as many")
    hold(again?.parts.map(\.body) == form.parts.map(\.body), "the contents stay the same")
    hold(again?.parts.map(\.name) == form.parts.map(\.name), "the names stay the same")
}
