// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchCore

/// Reads bytes as JSON: what is read can be written, and reads back to the same text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do throws(JSONError) {
        let text = try JSONValue(parsing: bytes(data, count)).serialized()
        do throws(JSONError) {
            hold(try JSONValue(parsing: text).serialized() == text, "a second reading gives the same text")
        } catch {
            hold(false, "what was written can be read: \(error)")
        }
    } catch {
        hold((0...count).contains(error.offset), "an error stands inside the input")
    }
    return 0
}
