// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Reads bytes as a form with files: however they are cut the parser sees the same, and what it reads it can write.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    let type = "multipart/form-data; boundary=b"
    let form = try? MultipartForm(parsing: input, contentType: type)
    let cut = collect(input, in: 1 + (input.first.map(Int.init) ?? 0) % 7, type: type)
    hold(form?.parts == cut, "\(count) bytes are the same in pieces")
    if let form { holdWritten(form) }
    // As a field line, too.
    if let text = String(validating: input, as: UTF8.self) {
        _ = try? MultipartParser(contentType: text)
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

private func collect(_ input: [UInt8], in size: Int, type: String) -> [MultipartForm.Part]? {
    guard var parser = try? MultipartParser(contentType: type) else { return nil }
    var parts: [MultipartForm.Part] = []
    var rest = input[...]
    while !rest.isEmpty {
        guard let events = try? parser.consume(Array(rest.prefix(size))) else { return nil }
        rest = rest.dropFirst(size)
        for event in events {
            switch event {
            case .part(let head):
                parts.append(
                    .init(name: head.name, filename: head.filename, mediaType: head.mediaType, body: .empty))
            case .content(let piece):
                parts[parts.count - 1].body = HTTPBody(parts[parts.count - 1].body.bytes + piece)
            case .endOfPart: continue
            }
        }
    }
    return (try? parser.finish()) == nil ? nil : parts
}
