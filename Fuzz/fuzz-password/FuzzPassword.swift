// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchCrypto

/// Reads bytes as a stored password: what is accepted costs no more than a hash of ours may.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPassword(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    guard let hash = try? PasswordHash(parsing: text) else { return 0 }
    let cost = hash.parameters
    hold((8...1 << 20).contains(cost.memoryKiB), "\(cost.memoryKiB) KiB are within bounds")
    hold((1...16).contains(cost.passes) && (1...4).contains(cost.lanes), "passes and lanes are within bounds")
    hold(!"\(hash)".contains("$"), "the description shows nothing of the hash")
    return 0
}
