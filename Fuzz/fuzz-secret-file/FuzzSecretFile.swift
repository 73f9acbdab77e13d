// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchAuth
import LatchCrypto

/// Reads bytes as the beginning of an encrypted file: a header has one spelling, and asks for no more than it may.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSecretFile(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    guard let header = SecretFileHeader(parsing: input) else { return 0 }
    hold(input.starts(with: header.bytes), "a header is written as it was read")
    hold(header.bytes.count <= 272, "a header is short")
    if case .passphrase(let cost, let salt) = header.lock {
        hold((8...1 << 20).contains(cost.memoryKiB) && (1...16).contains(cost.passes), "the cost is within bounds")
        hold(salt.count == 16, "the salt has 16 bytes")
    }
    return 0
}
