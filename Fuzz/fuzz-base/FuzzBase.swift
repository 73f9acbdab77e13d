// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchCore

/// Reads bytes as base64 in both alphabets: a text that is accepted is the only one for what it means.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBase(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    for alphabet in [Base64Alphabet.standard, .url] {
        hold(alphabet.decode(alphabet.encode(input)) == input, "what is written reads back")
        if let meaning = alphabet.decode(input) {
            hold(alphabet.encode(meaning) == input, "no other text means the same")
        }
    }
    return 0
}
