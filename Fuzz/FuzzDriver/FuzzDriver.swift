// SPDX-License-Identifier: Apache-2.0

/// The input that libFuzzer made, as bytes.
public func bytes(_ data: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: data, count: count))
}

/// Ends the process when a property does not hold, which libFuzzer keeps as a finding.
public func hold(_ condition: Bool, _ property: @autoclosure () -> String) {
    if !condition { fatalError("does not hold: \(property())") }
}
