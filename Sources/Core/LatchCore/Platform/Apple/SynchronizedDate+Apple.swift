// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import PortableFoundation

extension WallClock {
    /// Nil: whether a time server keeps the date right is not known here.
    package static var synchronizedDate: Date? { nil }
}
#endif
