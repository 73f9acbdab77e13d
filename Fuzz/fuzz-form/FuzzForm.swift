// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Reads bytes as a form: what is read can be written, and reads back to the same pairs.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForm(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    guard let pairs = FormEncoding.decode(text) else { return 0 }
    let again = FormEncoding.decode(FormEncoding.encode(pairs)) ?? []
    hold(again.count == pairs.count, "\(pairs.count) pairs stay as many")
    hold(zip(again, pairs).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }, "the pairs stay the same")
    return 0
}
