// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchIdentity

/// Reads bytes as an email address: what is accepted fits into a header of a mail, and means the same when read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEmail(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let address = try? EmailAddress(String(decoding: bytes(data, count), as: UTF8.self)) else { return 0 }
    hold(address.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an address is printable ASCII")
    hold(!address.text.contains { "<>,;:\"\\()[]".contains($0) }, "an address has no meaning to a mail's header")
    hold(address.text.split(separator: "@", omittingEmptySubsequences: false).count == 2, "an address has one @")
    hold((try? EmailAddress(address.text)) == address, "an address reads back")
    hold((try? EmailAddress(address.key))?.key == address.key, "a key is its own key")
    return 0
}
