// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import LatchFoundation

extension WallClock {
    /// Nil: it is unknown here whether a time server keeps the date correct.
    package static var synchronizedDate: Date? { nil }
}
#endif
