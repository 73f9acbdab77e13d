// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchCore
import LatchJOSE

/// Reads bytes as a set of keys: what is read can be shown again without its secrets.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeys(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let keys = try? KeySet(jwks: bytes(data, count)) else { return 0 }
    let shown = String(decoding: keys.jwks().serialized(), as: UTF8.self)
    hold(!shown.contains("\"d\":") && !shown.contains("\"k\":"), "a published set holds no secrets")
    hold((try? KeySet(jwks: Array(shown.utf8))) != nil, "a published set can be read")
    return 0
}
