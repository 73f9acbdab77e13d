// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP
import LatchServer

/// Reads bytes as a form: what the server reads, the client's writer writes, and the server reads the same again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForm(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    guard let fields = try? FormFields(parsing: text[...], limit: 50) else { return 0 }
    hold(fields.count <= 50, "the fields keep to their limit")
    let written = FormEncoding.encode(fields.map { ($0.name, $0.value) })
    hold((try? FormFields(parsing: written[...], limit: 50)) == fields, "\(fields.count) fields stay the same")
    return 0
}
