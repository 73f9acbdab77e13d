// SPDX-License-Identifier: Apache-2.0

/// A value that does not count for the equality and hash of its container.
package struct Unhashed<Value: Sendable>: Sendable, Hashable {
    package var value: Value

    package init(_ value: Value) { self.value = value }

    package static func == (one: Unhashed, other: Unhashed) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
