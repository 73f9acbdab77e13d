// SPDX-License-Identifier: Apache-2.0

/// A value that plays no part in the identity of what holds it.
package struct Unhashed<Value: Sendable>: Sendable, Hashable {
    package var value: Value

    package init(_ value: Value) { self.value = value }

    package static func == (one: Unhashed, other: Unhashed) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
