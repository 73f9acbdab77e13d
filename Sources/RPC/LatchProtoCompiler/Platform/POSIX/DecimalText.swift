// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The text of floating-point numbers in descriptors, in the notation of C's `%g`.
///
/// A `double` has 15 digits if they are exact, otherwise 17; a `float` has 6 or 9.
enum DecimalText {
    static func shortest(_ value: Double) -> String {
        let text = format(value, digits: 15)
        return Double(text) == value ? text : format(value, digits: 17)
    }

    static func shortest(_ value: Float) -> String {
        let text = format(Double(value), digits: 6)
        // protoc's reader does not accept subnormal numbers, so they are written with nine digits.
        return Float(text) == value && !value.isSubnormal ? text : format(Double(value), digits: 9)
    }

    private static func format(_ value: Double, digits: Int32) -> String {
        guard !value.isNaN else { return "nan" }
        return withVaList([digits, value]) { arguments in
            // A sign, 17 digits, a point and an exponent need at most 24 bytes.
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
                let count = vsnprintf(buffer.baseAddress, buffer.count, "%.*g", arguments)
                return String(decoding: buffer.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
        }
    }
}
