// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Reads bytes as the fields by which an answer says how long it may be kept: it is a time within bounds.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCache(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let lines = String(decoding: bytes(data, count), as: UTF8.self).split(separator: "\n").map(String.init)
    var response = HTTPResponse(status: .ok)
    for (place, line) in lines.prefix(5).enumerated() {
        response.fields.append(line, for: ["Cache-Control", "Age", "Expires", "Date", "Cache-Control"][place])
    }
    let fresh = response.remainingFreshness ?? .zero
    hold(fresh >= .zero && fresh <= CacheControl.longest, "a time within bounds")
    let stale = response.cacheControl.staleIfError ?? .zero
    hold(stale >= .zero && stale <= CacheControl.longest, "a time within bounds")
    return 0
}
