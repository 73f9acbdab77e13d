// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Reads bytes as a date of a header field: what is accepted reads back as the same second.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDate(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let date = HTTPDate(String(decoding: bytes(data, count), as: UTF8.self)) else { return 0 }
    hold(HTTPDate(date.description) == date, "\(date) reads back")
    return 0
}
