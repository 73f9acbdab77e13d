// SPDX-License-Identifier: Apache-2.0

/// A value that contains a secret, and does not reveal it in a description, a mirror or a dump.
///
/// A conforming type may show more in its `description`. The other two do not reveal more.
public protocol Redacting: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacting {
    /// The name of the type.
    public var description: String { "\(Self.self)(redacted)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` and reflection show nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
