// SPDX-License-Identifier: Apache-2.0

/// A type of a map's keys.
public protocol MapKey: Hashable, Sendable {
    /// How a key is kept.
    static var storedKind: StoredKind { get }
}

extension Bool: MapKey {}
extension Int32: MapKey {}
extension Int64: MapKey {}
extension UInt32: MapKey {}
extension UInt64: MapKey {}
extension String: MapKey {}
